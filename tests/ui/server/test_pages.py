"""Pages without a browser: they are there, light, and old addresses mean the same."""

import re

import httpx
import pytest

from inarow.learn.registry import learners
from inarow.ui.server.pages import LINKS, as_script
from inarow.ui.server.paper_pages import page_names
from tests.ui.server.live import serving


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with (
        serving(tmp_path_factory.mktemp("agents")) as address,
        httpx.Client(base_url=address, timeout=60) as client,
    ):
        yield client


@pytest.mark.parametrize("path", LINKS)
def test_each_page_is_there(client, path):
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert '<html lang="en"' in answer.text
    assert answer.text.count("<h1") == 1


def test_navigation_is_the_same_on_every_page(client):
    for path, name in LINKS.items():
        (found,) = re.findall(r'<nav aria-label="pages">(.*?)</nav>', client.get(path).text, re.S)
        listed = re.findall(r'<a href="([^"]+)"( aria-current="page")?[^>]*>([^<]+)</a>', found)
        assert {address: text for address, _, text in listed} == LINKS
        assert [text for _, current, text in listed if current] == [name]


def test_every_learner_of_a_page_can_be_chosen(client):
    page = client.get("/learn?learner=td_lambda").text
    links = re.findall(r'href="/learn\?learner=(\w+)"( aria-current="page")?', page)
    assert {name for name, _ in links} == {"td", "q", "sarsa", "td_lambda"}
    assert [name for name, current in links if current] == ["td_lambda"]


@pytest.mark.parametrize("path", LINKS)
def test_nothing_is_loaded_from_elsewhere(client, path):
    text = client.get(path).text
    assert not re.findall(r'(?:src|href)="(?:https?:)?//', text)
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', text):
        assert client.get(address).status_code == 200


def test_what_leads_nowhere(client):
    answer = client.get("/nothing<b>")
    assert answer.status_code == 404
    assert "There is no such page" in answer.text
    assert "<b>" not in answer.text
    assert client.get("/papers?paper=nothing").status_code == 404
    assert "there is no page of a paper" in client.get("/papers?paper=nothing").text


def test_papers(client):
    listed = client.get("/papers").text
    for name in page_names():
        assert f"/papers?paper={name}" in listed
        page = client.get(f"/papers?paper={name}")
        assert page.status_code == 200
        for figure in re.findall(r'src="(/papers-figures/[^"]+)"', page.text)[:1]:
            assert client.get(figure).status_code == 200


def test_the_api_page_and_the_same_as_json(client):
    page = client.get("/api")
    assert "<main" in page.text
    assert f"curl -s {client.base_url}/api/move" in page.text
    behind = client.get("/api", headers={"X-Forwarded-Proto": "https"})
    assert "curl -s https://" in behind.text
    listed = client.get("/api", headers={"Accept": "application/json"}).json()
    assert {"request": "POST /api/move", "about": "The move of a player"} in listed["requests"]


def test_the_form_offers_every_learner(client):
    page = client.get("/train").text
    for name in learners():
        assert f'<option value="{name}"' in page


def test_files_are_packed_and_asked_for_again(client):
    answer = client.get("/static/train.js")
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["cache-control"] == "no-cache"
    again = client.get("/static/train.js", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_json_in_a_page_ends_no_script():
    assert "<" not in as_script({"a": "</script><!--"})


@pytest.mark.parametrize("path", ["/", "/train", "/static/board.js"])
def test_the_head_of_a_page_has_no_body(client, path):
    response = client.head(path)
    assert (response.status_code, response.content) == (200, b"")
