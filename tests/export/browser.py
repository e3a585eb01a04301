# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pages of viewers in headless Chromium: their content after a file is loaded."""
import base64
import html
import json
import os
import re
import subprocess

DH_VIEW = next((path for path in ("/usr/libexec/valgrind/dh_view.html", "/usr/lib/valgrind/dh_view.html")
                if os.path.exists(path)), None)

# Chooses files as a user does; the pages of all files follow each other. Reading a file takes real time, but the
# browser's time is virtual, and on a busy machine it ended before the last file was read. So the text is provided at
# once.
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

# speedscope draws the rows below this in real time, and on a busy machine the browser's time may end before.
SANDWICH_HEAD = "Symbol Name"
TRIES = 5


def text_of(url, work):
    """Returns the page's elements, one per line."""
    run = subprocess.run(["chromium", "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                          f"--user-data-dir={work}/chromium", "--allow-file-access-from-files",
                          "--virtual-time-budget=20000", "--dump-dom", url],
                         capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": work})
    if run.returncode:
        raise AssertionError(run.stderr)
    page = re.sub(r"<(style|script).*?</\1>", "", run.stdout, flags=re.S)
    return html.unescape(re.sub(r"(<[^>]*>)+", "\n", page))


def dh_view(texts, work):
    """Returns what valgrind's page shows for each text, or its error."""
    folder = os.path.dirname(DH_VIEW)
    with open(DH_VIEW) as file:
        page = file.read().replace('"dh_view.', f'"file://{folder}/dh_view.')
    literal = json.dumps(texts).replace("<", "\\u003c")
    with open(f"{work}/dh_view.html", "w") as file:
        file.write(page.replace("</body>", CHOOSE.replace("TEXTS", literal) + "</body>"))
    shown = text_of(f"file://{work}/dh_view.html", work)
    return shown.split("\f")[:-1]


def speedscope(path, work, page):
    """Returns what its page shows for the file, which is passed as its command does."""
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
