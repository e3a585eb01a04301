# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of viewers in a Chromium without a window: what stands on them once a file is loaded."""
import base64
import html
import json
import os
import re
import subprocess

DH_VIEW = next((path for path in ("/usr/libexec/valgrind/dh_view.html", "/usr/lib/valgrind/dh_view.html")
                if os.path.exists(path)), None)

# What a user does: chooses a file. The pages of all files one after the other. To read a file takes real time, and the
# browser's time is virtual: on a busy machine it was over before the last file was read. So the text comes at once.
CHOOSE = """
<pre id="seen"></pre>
<script>
function choose(text) {
  const chosen = new DataTransfer();
  chosen.items.add(new File([text], "dhat.json"));
  gInput.files = chosen.files;
  FileReader.prototype.readAsText = function () { this.onload({target: {result: text}}); };
  loadFile();
  return gMainDiv.textContent;
}
addEventListener("load", () => {
  for (const text of TEXTS) document.getElementById("seen").textContent += choose(text) + "\\f";
});
</script>
"""

# speedscope draws the rows below this in real time: on a busy machine the browser's may be over before.
SANDWICH_HEAD = "Symbol Name"
TRIES = 5


def text_of(url, work):
    """The page's elements, a line each."""
    run = subprocess.run(["chromium", "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                          f"--user-data-dir={work}/chromium", "--allow-file-access-from-files",
                          "--virtual-time-budget=20000", "--dump-dom", url],
                         capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": work})
    if run.returncode:
        raise AssertionError(run.stderr)
    page = re.sub(r"<(style|script).*?</\1>", "", run.stdout, flags=re.S)
    return html.unescape(re.sub(r"(<[^>]*>)+", "\n", page))


def dh_view(texts, work):
    """What valgrind's page shows of each of the texts, or says is wrong with it."""
    folder = os.path.dirname(DH_VIEW)
    with open(DH_VIEW) as file:
        page = file.read().replace('"dh_view.', f'"file://{folder}/dh_view.')
    literal = json.dumps(texts).replace("<", "\\u003c")
    with open(f"{work}/dh_view.html", "w") as file:
        file.write(page.replace("</body>", CHOOSE.replace("TEXTS", literal) + "</body>"))
    shown = text_of(f"file://{work}/dh_view.html", work)
    return shown.split("\f")[:-1]


def speedscope(path, work, page):
    """What its page shows of the file, which it is given as its command does it."""
    with open(path, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    with open(f"{work}/load.js", "w") as file:
        file.write(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, '{data}')")
    url = f"file://{page}#view=sandwich&localProfilePath={work}/load.js"
    for _ in range(TRIES):
        lines = [line for line in text_of(url, work).splitlines() if line.strip()]
        if lines[-1:] != [SANDWICH_HEAD]:
            break
    return lines
