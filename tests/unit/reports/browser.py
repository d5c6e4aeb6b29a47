"""A headless Chromium, driven through chromedriver's HTTP protocol (W3C WebDriver). No packages."""
import base64
import json
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--no-proxy-server", "--hide-scrollbars",
         "--window-size=1240,1000"]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """Owns a chromedriver, its browser and a fresh profile; `with Browser(...) as browser`."""

    def __init__(self, chromium, chromedriver, dark=False):
        self.folder = tempfile.TemporaryDirectory(prefix="rowgate-browser-",
                                                  ignore_cleanup_errors=True)
        self.log_path = os.path.join(self.folder.name, "chromedriver.log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen([chromedriver, "--port=0"], stdout=log, stderr=log)
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            self.base = f"http://127.0.0.1:{self.wait_for_port()}"
            flags = FLAGS + [f"--user-data-dir={self.folder.name}/profile"]
            if dark:
                flags.append("--blink-settings=preferredColorScheme=0")
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"binary": chromium, "args": flags},
                "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = f"/session/{answer['sessionId']}"
        except Exception:
            self.close()
            raise

    def wait_for_port(self):
        for _ in range(300):
            with open(self.log_path, encoding="utf-8", errors="replace") as log:
                text = log.read()
            if "started successfully on port " in text:
                return int(text.split("started successfully on port ")[1].split(".")[0])
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError("chromedriver did not start: " + text)

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, headers={"Content-Type": "application/json"},
            data=None if body is None else json.dumps(body).encode())
        try:
            with self.opener.open(request, timeout=120) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.read().decode()[:600]}") from error

    def open(self, path):
        self.call("POST", f"{self.session}/url", {"url": "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        return self.call("POST", f"{self.session}/execute/sync",
                         {"script": script, "args": list(arguments)})

    def click(self, selector):
        found = self.call("POST", f"{self.session}/element",
                          {"using": "css selector", "value": selector})
        self.call("POST", f"{self.session}/element/{found[ELEMENT]}/click", {})

    def type(self, selector, text):
        found = self.call("POST", f"{self.session}/element",
                          {"using": "css selector", "value": selector})
        self.call("POST", f"{self.session}/element/{found[ELEMENT]}/value", {"text": text})

    def console(self):
        """What the page logged since the last call, errors of the content policy included."""
        return self.call("POST", f"{self.session}/se/log", {"type": "browser"})

    def screenshot(self, path):
        """The whole page, as high as it is."""
        size = self.run("return [document.documentElement.scrollWidth,"
                        "document.documentElement.scrollHeight]")
        picture = self.call("POST", f"{self.session}/goog/cdp/execute", {
            "cmd": "Page.captureScreenshot",
            "params": {"captureBeyondViewport": True, "format": "png", "clip": {
                "x": 0, "y": 0, "width": size[0], "height": min(size[1], 8000), "scale": 1}}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def pdf(self, path):
        printed = self.call("POST", f"{self.session}/goog/cdp/execute",
                            {"cmd": "Page.printToPDF", "params": {"printBackground": True}})
        with open(path, "wb") as file:
            file.write(base64.b64decode(printed["data"]))

    def close(self):
        try:
            if hasattr(self, "session"):
                self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
