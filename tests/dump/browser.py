# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Controls Chromium through a pipe (DevTools protocol: JSON separated by zero bytes), using only the standard library.
Records all network requests and console messages."""
import json
import os
import select
import shutil
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE = 60


class Browser:
    def __init__(self):
        self.requests, self.complaints, self.answers, self.events, self.rest, self.last = [], [], {}, [], b"", 0
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_read, self.write = os.pipe()
        self.read, theirs_write = os.pipe()

        # Chromium reads 3 and writes 4; the pipe's other ends may have these numbers.
        def give_pipes():
            read, write = os.dup2(theirs_read, 50), os.dup2(theirs_write, 51)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={self.folder.name}", "--remote-debugging-pipe",
             "--window-size=1400,900", "about:blank"],
            preexec_fn=give_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_read)
        os.close(theirs_write)
        target = next(target for target in self.call("Target.getTargets")["targetInfos"] if target["type"] == "page")
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")

    session = None

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.read)
        os.close(self.write)
        self.folder.cleanup()

    def take(self, message):
        method, given = message.get("method"), message.get("params", {})
        if "id" in message:
            self.answers[message["id"]] = message
        elif method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(given["exceptionDetails"].get("exception", {}).get("description", str(given)))
        elif method == "Log.entryAdded":
            self.complaints.append(given["entry"]["text"])
        elif method == "Runtime.consoleAPICalled":
            self.complaints.append(str(given["args"]))
        self.events.append(method)

    def listen(self):
        assert select.select([self.read], [], [], PATIENCE)[0], "Chromium does not answer"
        received = os.read(self.read, 1 << 20)
        assert received, "Chromium has ended"
        *messages, self.rest = (self.rest + received).split(b"\0")
        for message in messages:
            self.take(json.loads(message))

    def call(self, method, **given):
        self.last += 1
        message = {"id": self.last, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        while self.last not in self.answers:
            self.listen()
        answer = self.answers.pop(self.last)
        assert "error" not in answer, answer
        return answer["result"]

    def navigate(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self.events:
            self.listen()

    def open(self, path, fragment=""):
        """Opens a page and returns when it is drawn."""
        self.navigate("about:blank")
        self.navigate("file://" + os.path.abspath(path) + fragment)
        self.drawn()

    def drawn(self):
        self.value("""(async () => {
            for (const app = document.getElementById("app"); app?.hidden && getComputedStyle(app).display === "none";)
                await new Promise((done) => setTimeout(done, 1));
            await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        })()""")

    def value(self, expression):
        """Returns the value of a JavaScript expression, waiting for promises."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def press(self, key):
        """Presses a key, given by name or character."""
        number = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
                  "ArrowDown": 40}.get(key, ord(key[0]))
        text = {"text": {"Enter": "\r"}.get(key, key)} if len(key) == 1 or key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=number, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=number)

    def click(self, selector):
        place = self.value(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                           "return [box.x + Math.min(box.width / 2, 40), box.y + Math.min(box.height / 2, 8)]; })()")
        for kind in "mousePressed", "mouseReleased":
            self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)
        self.drawn()

    def type(self, selector, text):
        self.value(f"document.querySelector({json.dumps(selector)}).focus()")
        self.call("Input.insertText", text=text)
