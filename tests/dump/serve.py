# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""allocsite-dump serve: go's pprof, promtool and Prometheus read it, and other clients get no answer."""
import base64
import collections
import contextlib
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest
import urllib.parse

try:
    from prometheus_client.openmetrics import parser
except ImportError:
    parser = None

from runs import DUMP, dump, work, written
from top import Program

READERS = os.environ["READERS"]
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../rt/dump/examples")
os.makedirs(work("home"), exist_ok=True)


def reader(name):
    return shutil.which(name) or shutil.which(os.path.join(READERS, "usr/bin", name))


def example(name):
    with open(os.path.join(EXAMPLES, name)) as file:
        return file.read()


def totals(source):
    return json.loads(dump("report", "--format=json", source).stdout)["totals"]


TYPES = {**dict.fromkeys(("allocsite_allocations", "allocsite_allocated_bytes", "allocsite_program_allocations",
                          "allocsite_program_allocated_bytes"), "counter"),
         **dict.fromkeys(("allocsite_live_blocks", "allocsite_live_bytes", "allocsite_peak_blocks", "allocsite_peak_bytes"), "gauge")}


class Server:
    def __init__(self, source, *options):
        self.process = subprocess.Popen([DUMP, "serve", "--listen=127.0.0.1:0", *options, source], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        self.port = int(re.search(r":(\d+)/$", self.url).group(1))

    def ask(self, path="/metrics", method="GET", headers=None, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, headers=headers or {}, body=body)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        return answer, text

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


class Serve(unittest.TestCase):
    def setUp(self):
        self.program = Program("stack=0")
        self.addCleanup(self.program.__exit__)
        self.program.step(2)
        self.source = "pid:" + self.program.pid

    def sums(self, text):
        found = {}
        for name, value in re.findall(r"(?m)^allocsite_(\w+)\{.*\} (\d+)$", text):
            found[name] = found.get(name, 0) + int(value)
        return found

    def check_metrics(self, text):
        expected = totals(self.source)
        found = self.sums(text)
        self.assertEqual(found["allocations_total"], expected["allocs"] + expected["reallocs"])
        self.assertEqual(found["program_allocations_total"], expected["allocs"] + expected["reallocs"])
        self.assertEqual(found["program_allocated_bytes_total"], expected["alloc_bytes"] + expected["realloc_bytes"])
        self.assertEqual(found["live_bytes"], expected["live_bytes"])
        self.assertEqual(found["peak_bytes"], expected["peak_bytes"])

    def test_metrics(self):
        with Server(self.source) as server:
            for _ in range(2):
                answer, text = server.ask()
                self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
                self.check_metrics(text)
                answer, text = server.ask(headers={"Accept": "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.4"})
                self.assertEqual((answer.status, answer.headers["Content-Type"]),
                                 (200, "application/openmetrics-text; version=1.0.0; charset=utf-8"))
                self.check_metrics(text)
                if parser:
                    self.assertEqual({family.name: family.type for family in parser.text_string_to_metric_families(text)}, TYPES)
                self.program.step()
            if reader("promtool"):
                self.assertEqual(self.complaints(server.ask()[1]), "")

    def complaints(self, text):
        found = subprocess.run([reader("promtool"), "check", "metrics"], input=text, text=True, capture_output=True)
        return found.stdout + found.stderr

    def test_remaining_sites(self):
        """Gauges of the remaining sites are one more series. Counters have no series for the remaining sites, because it
        would decrease when a site gets a separate series."""
        with Server(self.source, "--top=1") as server:
            text = server.ask()[1]
            self.assertEqual({name: count for name, count in collections.Counter(re.findall(r"(?m)^allocsite_(\w+)\{", text)).items()},
                             {"allocations_total": 1, "allocated_bytes_total": 1, "live_blocks": 2, "live_bytes": 2, "peak_blocks": 2,
                              "peak_bytes": 2, "program_allocations_total": 1, "program_allocated_bytes_total": 1})
            self.assertNotIn('_total{program="' + self.program.path + '",site="other"', text)
            self.assertEqual(self.sums(text)["live_bytes"], totals(self.source)["live_bytes"])

    @unittest.skipUnless(shutil.which("go"), "no go")
    def test_pprof(self):
        with Server(self.source) as server:
            for path, first in ("heap", "inuse_space"), ("allocs", "alloc_space"):
                raw = subprocess.run(["go", "tool", "pprof", "-raw", f"{server.url}debug/pprof/{path}"], capture_output=True, text=True,
                                     timeout=120, env={**os.environ, "HOME": work("home"), "PPROF_TMPDIR": work("home")}, check=True).stdout
                types = re.search(r"(?m)^Samples:\n(.*)$", raw).group(1).split()
                samples = re.findall(r"(?m)^ +([\d ]+):", raw.split("Locations")[0])
                sums = dict(zip((name.split("/")[0] for name in types), map(sum, zip(*([int(n) for n in line.split()] for line in samples)))))
                expected = totals(self.source)
                self.assertEqual(sums["inuse_space"], expected["live_bytes"])
                self.assertEqual(sums["alloc_objects"], expected["allocs"] + expected["reallocs"])
                self.assertIn(first + "/bytes[dflt]", types)

    @unittest.skipUnless(reader("promtool"), "no promtool")
    def test_scrape_configuration(self):
        subprocess.run([reader("promtool"), "check", "config", os.path.join(EXAMPLES, "prometheus.yml")], check=True, stdout=subprocess.DEVNULL)

    def test_paths_of_examples(self):
        """The agents' examples name paths and an address that serve has, and disable what it does not have."""
        with Server(self.source) as server:
            for name in "parca.yaml", "pyroscope.alloy":
                text = example(name)
                paths = re.findall(r"/debug/\w+/\w+", text)
                self.assertTrue(paths, name)
                for path in paths:
                    self.assertEqual(server.ask(path)[0].status, 200, (name, path))
                for profile in "block", "goroutine", "mutex", "process_cpu":
                    self.assertRegex(text, rf"{profile}:? {{\s*enabled ?[:=] ?false\s*}}")
                self.assertIn(re.search(r"default: ([\d.:]+);", dump("serve", "--help").stdout)[1], text)

    @unittest.skipUnless(reader("prometheus"), "no prometheus")
    def test_prometheus(self):
        """Prometheus scrapes the report's values with the example, and the dashboard's queries find them."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with Server(self.source) as server:
            config = written("prometheus.yml", example("prometheus.yml").replace("127.0.0.1:8642", f"127.0.0.1:{server.port}")
                             .replace("scrape_interval: 15s", "scrape_interval: 1s"))
            shutil.rmtree(work("data"), ignore_errors=True)
            with subprocess.Popen([reader("prometheus"), "--config.file=" + config, "--storage.tsdb.path=" + work("data"),
                                   f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL) as prometheus:
                try:
                    self.assertEqual(self.scraped(port, "sum(allocsite_live_bytes)"), totals(self.source)["live_bytes"])
                    self.assertEqual(self.scraped(port, "sum(allocsite_allocated_bytes_total)"), totals(self.source)["alloc_bytes"])
                    self.program.step(2)
                    for expression in self.expressions():
                        self.assertIsNotNone(self.scraped(port, expression), expression)
                finally:
                    prometheus.send_signal(signal.SIGTERM)

    def expressions(self):
        """Returns the queries of the dashboard, for all programs."""
        dashboard = json.loads(example("grafana-dashboard.json"))
        found = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        found += [re.match(r"label_values\((.*), \w+\)$", variable["query"]["query"])[1]
                  for variable in dashboard["templating"]["list"] if variable["type"] == "query"]
        for name, value in ("$__rate_interval", "30s"), ("$__range", "30s"), ("$program", ".*"), ("$instance", ".*"):
            found = [expression.replace(name, value) for expression in found]
        self.assertNotIn("$", "".join(found))
        self.assertEqual({metric.removesuffix("_total") for expression in found for metric in re.findall(r"allocsite_\w+", expression)},
                         set(TYPES) - {"allocsite_live_blocks", "allocsite_peak_blocks"})
        return found

    def scraped(self, port, expression):
        for _ in range(600):
            time.sleep(0.1)
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            try:
                connection.request("GET", "/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
                found = json.loads(connection.getresponse().read())["data"]["result"]
            except (OSError, ValueError):
                continue
            except KeyError:
                return None
            finally:
                connection.close()
            if found:
                return float(found[0]["value"][1])
        return None

    def test_page(self):
        with Server(self.source, "--refresh=7") as server:
            answer, text = server.ask("/")
            self.assertEqual((answer.status, answer.headers["Refresh"]), (200, "7"))
            self.assertIn("text/html", answer.headers["Content-Type"])
            self.assertEqual(text.count("Content-Security-Policy"), 1)
            self.assertTrue(text.rstrip().endswith("</html>"))
            packed = re.search(r'id="data">(.*?)</script>', text)[1]
            self.assertEqual(len(json.loads(gzip.decompress(base64.b64decode(packed)))["threads"]), 1)

    def test_index(self):
        """/debug/pprof/ has the counts of the report, and links to profiles that exist."""
        with Server(self.source) as server:
            answer, text = server.ask("/debug/pprof/")
            self.assertEqual((answer.status, answer.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
            expected = totals(self.source)
            rows = re.findall(r'<tr><td>(\d+)</td><td><a href="(\w+)">\2</a>', text)
            self.assertEqual(rows, [(str(expected["allocs"] + expected["reallocs"]), "allocs"), (str(expected["live_blocks"]), "heap")])
            links = re.findall('href="(.*?)"', text)
            self.assertEqual(len(links), 3)
            for link in links:
                self.assertEqual(server.ask(urllib.parse.urljoin("/debug/pprof/", link))[0].status, 200, link)

    def test_refused(self):
        with Server(self.source) as server:
            for method in "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE":
                answer, _ = server.ask(method=method, body="x" * 100000 if method in ("POST", "PUT") else None)
                self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET"), method)
            for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1", "[evil]:80", "x" * 5000,
                         "[::1]evil.example", "[127.0.0.1]evil.example", "127.0.0.1:80.evil.example", "::1]", "127.0.0.1]"):
                self.assertEqual(server.ask(headers={"Host": host})[0].status, 403, host)
            for host in "localhost", f"127.0.0.1:{server.port}", "[::1]:80", "LOCALHOST:1":
                self.assertEqual(server.ask(headers={"Host": host})[0].status, 200, host)
            for path in "/debug", "/debug/pprof", "/../etc/passwd", "/metrics/", "//", "/metrics%00x", "/%6detrics":
                self.assertEqual(server.ask(path)[0].status, 404, path)
            answer, _ = server.ask()
            self.assertIsNone(answer.headers["Access-Control-Allow-Origin"])

    def test_half_sent(self):
        """Clients that send half a request do not delay others, neither before nor after their timeout."""
        with Server(self.source) as server, contextlib.ExitStack() as halves:
            for count in 64, 400:
                for _ in range(count):
                    halves.enter_context(socket.create_connection(("127.0.0.1", server.port))).sendall(b"GET /met")
                begun = time.monotonic()
                self.assertEqual(server.ask()[0].status, 200)
                self.assertLess(time.monotonic() - begun, 5)

    def test_ends(self):
        for sent in signal.SIGINT, signal.SIGTERM:
            with Server(self.source) as server:
                server.process.send_signal(sent)
                self.assertEqual(server.process.wait(timeout=30), 0)

    def test_process_ends(self):
        with Server(self.source) as server:
            self.program.end()
            answer, text = server.ask()
            self.assertEqual(answer.status, 200)
            self.assertIsNone(server.ask("/")[0].headers["Refresh"])

    def test_profile(self):
        """A finished process is served with its final state and the current time, because Prometheus rejects old
        samples."""
        self.program.end()
        program = Program("profile=live.profile")
        program.step(3)
        with Server("pid:" + program.pid) as server:
            program.end()
            self.source = program.path
            self.check_metrics(server.ask()[1])
            self.assertIsNone(server.ask("/")[0].headers["Refresh"])

    def test_start(self):
        """Every exit report waits for the libraries that allocsite-dump is linked with, so they include no network."""
        linked = subprocess.run(["ldd", DUMP], capture_output=True, text=True, check=True).stdout
        for library in ("microhttpd", "gnutls", "curl", "debuginfod"):
            self.assertNotIn(library, linked)

    def test_errors(self):
        with Server(self.source) as server:
            for arguments, words in (([f"--listen=127.0.0.1:{server.port}", self.source], f"127.0.0.1:{server.port}: Address already in use"),
                                     (["--listen=example.com:80", self.source], "an address and a port"),
                                     (["--listen=127.0.0.1:99999", self.source], "an address and a port"),
                                     (["--listen=127.0.0.1:0", "pid:999999999"], "no such process"),
                                     (["--listen=127.0.0.1:0", work("none")], "No such file"), ([], "no process and no file")):
                result = dump("serve", *arguments)
                self.assertIn(words, result.stderr)
                self.assertEqual((result.stderr.count("\n"), result.stdout), (1, ""))
                self.assertNotEqual(result.returncode, 0)


if __name__ == "__main__":
    unittest.main()
