"""A page in a real browser: Debian's chromium, driven by Selenium."""

import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.wait import WebDriverWait
from support.commands import served
from support.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MATE_IN_16 = "8/8/8/8/8/2k5/1R6/K7_w_-_-_0_1"
PROMOTION = "8/5P1k/8/8/8/8/8/K7_w_-_-_0_1"
LAPTOP, TELEPHONE, TURNED, DESKTOP = SIZES = [(1366, 625), (390, 844), (844, 390), (1920, 1080)]
# A page that fits a telephone mostly fits the others.
OTHERS = LAPTOP, TURNED, DESKTOP
EACH_SIZE = [TELEPHONE, *(pytest.param(size, marks=pytest.mark.slow) for size in OTHERS)]

browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
driver_path = shutil.which("chromedriver")

needs_browser = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        not (browser_path and driver_path),
        reason="no browser: install the packages chromium and chromium-driver",
    ),
]


def _on_both(page, server, published):
    """Return marks of tests on our server and a plain host; of the second, that one is slow."""
    slowly = pytest.param(published, marks=pytest.mark.slow)
    return [
        pytest.mark.parametrize(page, [server, other], indirect=True)
        for other in (published, slowly)
    ]


on_both_hosts, on_both_hosts_slowly = _on_both("page", "address", "published_address")
games_on_both_hosts, games_on_both_hosts_slowly = _on_both(
    "games_page", "games_address", "published_games_address"
)


@contextmanager
def serving(directory, *options):
    """Serve the tables of a folder; give the address."""
    with served("--dir", directory, *options, stderr=None) as (_, address):
        yield f"{address}/"


def start_browser():
    """Return a browser to drive."""
    options = webdriver.ChromeOptions()
    options.binary_location = browser_path
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"):
        options.add_argument(argument)
    # A process of its own for each site takes half of the time.
    options.add_argument("--disable-site-isolation-trials")
    options.add_argument("--window-size=1200,1000")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(driver_path))


class Page:
    """The page as a person sees it."""

    def __init__(self, browser, address):
        self.browser, self.address = browser, address

    def open(self, query=""):
        self.browser.get("about:blank")  # the same address again would be a reload
        self.browser.get(f"{self.address}{query}")
        self.until(lambda: self.headline != "Loading …" and self.find_all("#table-rows tr"))
        return self

    def until(self, condition):
        """Wait for a condition; elements, or the page, may be replaced while it looks at them."""

        def is_met(_):
            try:
                return condition()
            except WebDriverException as error:
                if "aborted by navigation" in str(error):
                    return False
                raise

        wait = WebDriverWait(
            self.browser,
            PATIENCE,
            poll_frequency=0.05,
            ignored_exceptions=[StaleElementReferenceException],
        )
        wait.until(is_met)

    def until_headline(self, text):
        self.until(lambda: self.headline == text)

    def until_my_move(self):
        """Wait until it is the person's move, for which the task is the headline."""
        tasks = ("Win this for ", "Hold the draw with ", "Hold out with ")
        self.until(lambda: self.headline.startswith(tasks))

    def find(self, css):
        return self.browser.find_element(By.CSS_SELECTOR, css)

    def find_all(self, css):
        return self.browser.find_elements(By.CSS_SELECTOR, css)

    def texts(self, css):
        """Return the texts of all such elements, read at once, since the page may replace them."""
        script = (
            "return [...document.querySelectorAll(arguments[0])].map((one) => one.innerText.trim())"
        )
        return self.browser.execute_script(script, css)

    def square(self, name):
        return self.find(f"[data-square={name}]")

    def click(self, css):
        self.browser.execute_script(
            "arguments[0].scrollIntoView({block: 'center'})", self.find(css)
        )
        self.until(lambda: self.find(css).is_enabled())
        self.find(css).click()

    @property
    def headline(self):
        return self.find("#headline").text

    @property
    def fen(self):
        return self.find("#fen").get_attribute("value")

    @property
    def moves(self):
        """The moves of the list, best first."""
        return self.texts(".move")

    @property
    def values(self):
        """Each value of the list in words, with its moves."""
        rows = [row.find_elements(By.CSS_SELECTOR, "p, .chips") for row in self.find_all(".value")]
        return [(value.text, moves.text.split()) for value, moves in rows]

    def drag(self, start, end):
        ActionChains(self.browser, duration=50).drag_and_drop(start, end).perform()

    def keys(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()


@contextmanager
def window(page, width, height, *, has_bars=False):
    """Give the page another size; scroll bars take room as on desktops if it `has_bars`."""
    metrics = {
        "width": width,
        "height": height,
        "deviceScaleFactor": 1,
        "mobile": min(width, height) < 500 and not has_bars,
    }
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        yield
    finally:
        page.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


# Whether all of an element is in the window and nothing lies over it.
IN_VIEW = """
const box = arguments[0].getBoundingClientRect();
const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
const hit = document.elementFromPoint(x, y);
return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth
  && Boolean(hit) && (arguments[0].contains(hit) || hit.contains(arguments[0]));
"""


def in_view(page, css):
    return page.browser.execute_script(IN_VIEW, page.find(css))


def play(page, *moves):
    """Play moves by clicks in the list."""
    for move in moves:
        page.until(lambda move=move: page.find_all(f"[data-uci={move}]"))
        before = page.fen
        page.click(f"[data-uci={move}]")
        page.until(lambda before=before: page.fen != before)


def played(page):
    """Return the moves played as they are shown, variations in brackets."""
    script = """
    const told = (list) => [...list.children].map((item) => item.className === "variation"
      ? `(${told(item.firstChild)})` : item.textContent).join(" ");
    return told(document.getElementById("played"));
    """
    return page.browser.execute_script(script)


def arrows(page):
    """Return the moves that have an arrow, and the kinds of arrows."""
    found = page.find_all(".arrows polygon")
    drawn = [one for one in found if one.is_displayed()]
    moves = {one.get_attribute("data-move") for one in drawn}
    return moves, {one.get_attribute("class") for one in drawn}


LUMINANCE = """
const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const channel = (c) => linear(c / 255);
const parse = (text) => text.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const ground = (one) => {
  for (let e = one; e; e = e.parentElement) {
    const color = parse(getComputedStyle(e).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const found = [];
for (const one of document.querySelectorAll("body *")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || one.disabled || !one.checkVisibility() || one.closest("noscript, .unseen")) continue;
  const [a, b] = [parse(getComputedStyle(one).color), ground(one)].map(luminance);
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) found.push(`${one.tagName} ${one.className} ${contrast.toFixed(2)}`);
}
return found;
"""
