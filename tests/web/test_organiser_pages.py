"""The organiser's pages: what they show and do, what they refuse, and who may not open them."""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

import voirdire
from postgres import Server as Postgres
from review.studies import UnderWay, begun
from voirdire.checks.words import number
from voirdire.review.agreement import agreement_so_far
from voirdire.review.answers import asked_of
from voirdire.review.exporting import tables
from voirdire.review.gold import GoldItem, gold_of, set_gold
from voirdire.review.one_rater import one_rater
from voirdire.review.people import invite, links_of
from voirdire.review.round_rows import rows_of
from voirdire.web.app import create_app
from voirdire.web.review.organise_drafts import MOST, Draft, Drafts
from voirdire.web.review.organise_view import readable
from voirdire.web.site import Site
from web.organising import HTML, Organiser, filled, organiser, problem, words

HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Organiser:
    """A round with labels in it, for tests that only read."""
    way = filled(begun(tmp_path_factory.mktemp("organiser") / "study"))
    set_gold(way.desk, way.round, [GoldItem(f"i{k}", "kind", "pass") for k in range(6)])
    return organiser(way)


@pytest.fixture
def way(tmp_path: Path) -> UnderWay:
    return begun(tmp_path / "study", items=4)


@pytest.fixture
def mine(way: UnderWay) -> Organiser:
    return organiser(way)


def test_the_overview_says_where_the_round_stands(seen: Organiser) -> None:
    text = words(seen.get())
    assert "12 of 36 planned labels are in. One of two metrics can be read" in text
    assert "Items with two labels or more 6 of 12" in text
    alpha = agreement_so_far(seen.way.desk, seen.way.round)["kind"].alpha
    assert f"{number(alpha.value)} [{number(alpha.low)}, {number(alpha.high)}]" in text
    assert "R3 0 of 12" in text
    assert re.search(r"Updated \d\d:\d\d UTC , every 30 s", text)


@pytest.mark.parametrize(
    ("some", "every", "said"),
    [
        (0, 1, "Agreement cannot be read yet"),
        (1, 1, "Agreement can be read"),
        (0, 2, "None of two metrics can be read yet"),
        (2, 2, "Both metrics can be read"),
        (4, 6, "Four of six metrics can be read"),
        (6, 6, "All six metrics can be read"),
        (11, 12, "11 of 12 metrics can be read"),
    ],
)
def test_how_many_metrics_can_be_read_is_said_in_words(some: int, every: int, said: str) -> None:
    assert readable(some, every) == said


def test_a_metric_without_labels_has_no_figure_and_no_mark(seen: Organiser) -> None:
    page = seen.get()
    row = page[page.index(">clear</a>") :].split("</tr>", 1)[0]
    assert '<span class="undef">no labels</span>' in row
    assert "<circle" not in row
    assert "6 items with no label" in row


def test_the_refresh_holds_the_same_parts(seen: Organiser) -> None:
    whole, part = seen.get(), seen.get("/parts")
    start = part.index("<h1>")
    assert part[start : part.index("</section>")] in whole
    assert 'id="updated" hx-swap-oob="true"' in part
    assert "<html" not in part


def test_the_judge_is_sealed_while_any_round_is_open(mine: Organiser, way: UnderWay) -> None:
    assert "Sealed until the round closes. The judge’s verdicts exist (4 of 8)" in words(mine.get())
    assert mine.client.get(f"{mine.base}/judge", follow_redirects=False).status_code == 303
    filled(way, items=4)
    other = way.desk.new_round(way.round.settings)
    mine.post("/close")
    assert "Sealed" in mine.get()
    mine.post("/close", base=f"/organiser/round/{other.id}")
    assert "Sealed" not in mine.get()
    page = words(mine.get("/judge"))
    assert "tone-judge" in page
    assert voirdire.audit(voirdire.open(way.desk.source)).finding("against_people").answer in page  # type: ignore[union-attr]


def test_a_round_is_closed_and_opened_again(mine: Organiser, way: UnderWay) -> None:
    assert mine.post("/close").status_code == 303
    assert way.say("Ann", "i0", "kind", "pass").late
    page = words(mine.get())
    assert "The round closed without a label" in page
    assert "1 answer came after the round had closed" in page
    mine.post("/reopen")
    assert not way.say("Ann", "i0", "kind", "pass").late


def test_people_are_invited_and_their_links_shown(mine: Organiser, way: UnderWay) -> None:
    assert mine.post("/people", name="Dora", expertise="law", contact="dora@example.org").status_code == 303
    mine.post("/people", name="Pia", role="panel")
    page = mine.get("/people")
    for one in links_of(way.desk, way.round.id):
        if one.link.role != "organiser":
            assert f'value="http://127.0.0.1:8765/enter#{one.token}"' in page
    assert "law, dora@example.org" in page
    roles = {one.link.name: one.link.role for one in links_of(way.desk, way.round.id) if one.link.name}
    assert roles == {"Ann": "rater", "Bo": "rater", "Cleo": "rater", "Dora": "rater", "Pia": "panel"}


def test_what_was_typed_stays_beside_what_is_wrong(mine: Organiser) -> None:
    reply = mine.post("/people", name="tone-judge", expertise="law", contact="x@y")
    assert reply.status_code == 422
    assert problem(reply.text).startswith("'tone-judge' is a judge in this study, no person")
    assert 'value="tone-judge"' in reply.text
    assert 'value="x@y"' in reply.text


def test_a_link_is_withdrawn_renewed_and_its_holder_forgotten(mine: Organiser, way: UnderWay) -> None:
    def link(name: str) -> str:
        return next(
            one.link.id for one in links_of(way.desk) if one.link.name == name and not one.link.revoked
        )

    first = link("Ann")
    mine.post(f"/people/{first}/renew")
    assert link("Ann") != first
    mine.post(f"/people/{link('Bo')}/revoke")
    assert not [one for one in links_of(way.desk) if one.link.name == "Bo" and not one.link.revoked]
    way.say("Cleo", "i0", "kind", "pass")
    code = way.people["Cleo"].link.rater_id
    mine.post(f"/people/{link('Cleo')}/forget")
    assert "Cleo" not in mine.get("/people")
    assert code in mine.get()
    assert rows_of(way.desk, way.round.id).answers[0]["rater_id"] == code


def test_a_link_of_another_round_and_an_unknown_act_are_not_found(mine: Organiser, way: UnderWay) -> None:
    other = way.desk.new_round(way.round.settings)
    there = invite(way.desk, other.id, "rater", "Zoe")
    assert mine.post(f"/people/{there.link.id}/revoke").status_code == 404
    own = way.people["Ann"].link.id
    assert mine.post(f"/people/{own}/promote").status_code == 404
    host = next(one for one in links_of(way.desk) if one.link.role == "organiser")
    assert mine.post(f"/people/{host.link.id}/revoke").status_code == 404


def test_labels_are_assigned_after_a_look(mine: Organiser, way: UnderWay) -> None:
    mine.post("/people", name="Dora")
    code = next(one.link.rater_id for one in links_of(way.desk) if one.link.name == "Dora")
    form = {"who": [code], "person": [code], "load": ["3"], "labels_an_item": "1", "metric": ["kind"]}
    page = mine.post("/assign/new", **form).text
    assert "3 new labels on 3 items would be asked for." in words(page)
    assert asked_of(way.desk, way.round.id, code) == []
    token = drafted(page)
    assert mine.post("/assign/confirm", draft=token).status_code == 303
    asked = asked_of(way.desk, way.round.id, code)
    assert [one.cell.metric for one in asked] == ["kind"] * 3
    again = words(mine.post("/assign/new", **form).text)
    assert "Nothing new" in again


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"who": [], "person": []}, "nobody is chosen"),
        ({"labels_an_item": "9"}, "9 labels an item by 1 raters"),
        ({"labels_an_item": "two"}, "labels an item: 'two'; expected a whole number"),
        ({"load": ["-3"]}, "the most labels of Ann: '-3'"),
        ({"how": "plan", "budget": "0"}, "budget: '0'"),
        ({"how": "plan", "purpose": "luck"}, "purpose is 'luck'"),
    ],
)
def test_a_form_that_cannot_be_followed_is_given_back(
    mine: Organiser, form: dict[str, Any], said: str
) -> None:
    usual = {"who": ["R1"], "person": ["R1"], "load": ["17"]}
    reply = mine.post("/assign/new", **{**usual, **form})
    assert reply.status_code == 422
    assert problem(reply.text).startswith(said)
    if "load" not in form and form.get("who") != []:
        assert 'value="17"' in reply.text


def test_a_plan_is_made_here_for_people_known_and_new(mine: Organiser, way: UnderWay) -> None:
    filled(way, items=4)
    mine.post("/people", name="Dora")
    page = words(
        mine.post(
            "/assign/new",
            how="plan",
            budget="8",
            purpose="floors",
            who=["R3", "R4"],
            person=["R3", "R4"],
            load=["", ""],
        ).text
    )
    assert "A plan made here." in page
    assert re.search(r"\d new labels on \d items would be asked for", page)
    assert "Dora" in page


def test_a_plans_file_is_matched_with_people(mine: Organiser, way: UnderWay) -> None:
    mine.post("/people", name="Dora")
    plan = "item_id,metric,rater_id,purpose,sampling_probability\ni1,kind,rater-1,floors,0.5\n"
    plan += "i2,kind,Zed,floors,1\n"
    page = mine.post("/assign/file", files={"file": ("plan.csv", plan)}).text
    assert "The plan asks 2 raters for 2 labels." in words(page)
    dora = next(one.link.rater_id for one in links_of(way.desk) if one.link.name == "Dora")
    look = mine.post("/assign/names", draft=drafted(page), name=["rater-1", "Zed"], person=[dora, ""]).text
    assert "Rows of Zed are left out." in words(look)
    mine.post("/assign/confirm", draft=drafted(look))
    table = tables(way.desk)["assignments"]
    (k,) = [k for k, rater in enumerate(table.columns["rater_id"]) if rater == dora]
    assert [table.columns[name][k] for name in ("item_id", "purpose")] == ["i1", "floors"]
    assert table.numbers["sampling_probability"][k] == 0.5


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("plan.exe", "x", "'plan.exe' is no table"),
        ("../../plan b.csv", "a,b\n1,2\n", "plan_b.csv: no column 'item_id'"),
        ("plan.csv", "item_id,metric,rater_id\ni1,better,Ann\n", "no row is on a metric of this round"),
    ],
)
def test_a_file_that_is_no_plan_is_refused(mine: Organiser, name: str, content: str, said: str) -> None:
    assert said in mine.refused("/assign/file", files={"file": (name, content)})


def test_somebodys_own_work_is_never_assigned(mine: Organiser, way: UnderWay) -> None:
    mine.post("/people", name="omega-9b")
    page = mine.post("/assign/file", files={"file": ("p.csv", "item_id,metric,rater_id\ni0,kind,x\n")}).text
    code = next(one.link.rater_id for one in links_of(way.desk) if one.link.name == "omega-9b")
    said = mine.refused("/assign/names", draft=drafted(page), name=["x"], person=[code])
    assert said.startswith("plan, row 2: item 'i0' is the work of 'omega-9b'")


def test_a_draft_is_for_its_round_and_for_a_while(mine: Organiser, way: UnderWay) -> None:
    drafts = Drafts()
    token = drafts.keep(Draft("round-1", "x"))
    assert drafts.find(token, "round-1").how == "x"
    with pytest.raises(voirdire.UserError, match="no longer kept"):
        drafts.find(token, "round-2")
    for _ in range(MOST):
        drafts.keep(Draft("round-1", "y"))
    with pytest.raises(voirdire.UserError, match="nothing was assigned"):
        drafts.find(token, "round-1")
    assert "no longer kept" in mine.refused("/assign/confirm", draft="elsewhere")


def test_a_draft_whose_rater_was_withdrawn_since_is_not_assigned(mine: Organiser, way: UnderWay) -> None:
    mine.post("/people", name="Dora")
    dora = next(one.link for one in links_of(way.desk) if one.link.name == "Dora")
    page = mine.post("/assign/new", who=[dora.rater_id], labels_an_item="1").text
    mine.post(f"/people/{dora.id}/revoke")
    assert mine.refused("/assign/confirm", draft=drafted(page)).startswith("the link of 'Dora' was withdrawn")
    assert asked_of(way.desk, way.round.id, dora.rater_id) == []


def test_what_is_not_done_is_taken_back(mine: Organiser, way: UnderWay) -> None:
    way.say("Ann", "i0", "kind", "pass")
    mine.post("/assign/withdraw", rater="R1")
    assert [one.cell.item_id for one in asked_of(way.desk, way.round.id, "R1")] == ["i0"]


def test_gold_comes_from_a_file_and_is_asked_of_everybody(mine: Organiser, way: UnderWay) -> None:
    mine.post("/people", name="Dora")
    reply = mine.post("/gold/file", files={"file": ("g.csv", "item_id,metric,label\ni1,kind,pass\n")})
    assert reply.status_code == 303
    assert gold_of(way.desk, way.round.id) == [GoldItem("i1", "kind", "pass")]
    assert "1 labels are missing" in words(mine.get("/gold")) or "1 label is missing" in words(
        mine.get("/gold")
    )
    mine.post("/gold/ask")
    dora = next(one.link.rater_id for one in links_of(way.desk) if one.link.name == "Dora")
    assert [one.cell.item_id for one in asked_of(way.desk, way.round.id, dora)] == ["i1"]
    assert "no label 'maybe'" in mine.refused(
        "/gold/file", files={"file": ("g.csv", "item_id,metric,label\ni1,kind,maybe\n")}
    )


def test_gold_comes_from_an_earlier_rounds_golden_set(mine: Organiser, way: UnderWay) -> None:
    for name in way.people:
        way.say(name, "i0", "kind", "pass")
    later = way.desk.new_round(way.round.settings)
    base = f"/organiser/round/{later.id}"
    assert mine.post("/gold/from", base=base, source=f"round {way.round.id}").status_code == 303
    assert gold_of(way.desk, later.id) == [GoldItem("i0", "kind", "pass")]
    assert "no known labels at" in mine.refused("/gold/from", base=base, source="round nowhere")


def test_raters_never_learn_which_items_are_gold(way: UnderWay, mine: Organiser) -> None:
    mine.post("/gold/file", files={"file": ("g.csv", "item_id,metric,label\ni1,kind,pass\n")})
    mine.post("/people", name="Dora")
    mine.post("/gold/ask")
    token = next(one.token for one in links_of(way.desk) if one.link.name == "Dora")
    client = TestClient(create_app(way.desk, Site()), base_url="http://127.0.0.1:8765")
    client.post("/enter", json={"token": token})
    proof = re.search(r'name="proof" value="(\w+)"', client.get("/rate/").text)
    assert proof is not None
    client.post("/rate/protocol", data={"proof": proof[1]}, follow_redirects=False)
    for path in ("/rate/", "/rate/item/1", "/rate/item/1/state"):
        reply = client.get(path)
        assert reply.status_code == 200
        assert "gold" not in (reply.text + str(reply.headers)).lower()


def test_a_round_is_begun_after_a_preview(mine: Organiser, way: UnderWay) -> None:
    form = {"title": "Second look", "metric": ["kind", "better"], "protocol": "Read.\n\nThen label."}
    page = mine.post("", base="/organiser/begin", act="preview", **form).text
    assert "The first item, as raters will read it" in page
    assert "omega-9b" not in page
    assert len(way.desk.rounds()) == 1
    reply = mine.post(
        "",
        base="/organiser/begin",
        act="begin",
        closes="2099-12-24T18:00",
        offset="60",
        sets=["kind"],
        **form,
    )
    assert reply.headers["location"] == "/organiser/round/round-2/people"
    made = way.desk.round("round-2").settings
    assert (made.closes_at, made.sets, made.mode) == ("2099-12-24T18:00+01:00", ["kind"], "blind")
    assert made.protocol == "Read.\n\nThen label."
    assert "Second look" in mine.get("/", base="/organiser/round/round-2")


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"title": " "}, "the round has no title"),
        ({"metric": []}, "no metric is chosen"),
        ({"metric": ["kind", "warm"]}, "no metric named 'warm'"),
        ({"mode": "confirm", "judge": "nobody"}, "no judge 'nobody'"),
        ({"closes": "2001-01-01T00:00"}, "'2001-01-01T00:00+00:00' is past"),
        ({"closes": "soon"}, "'soon' is no time"),
        ({"shown": ["system"]}, "no rater may see 'system'"),
    ],
)
def test_a_round_that_cannot_begin_is_given_back(
    mine: Organiser, way: UnderWay, form: dict[str, Any], said: str
) -> None:
    usual = {"title": "Second", "metric": ["kind"], "protocol": "Mine.", "act": "begin"}
    reply = mine.post("", base="/organiser/begin", **{**usual, **form})
    assert reply.status_code == 422
    assert said in problem(reply.text)
    assert ">Mine.</textarea>" in reply.text
    assert len(way.desk.rounds()) == 1


def test_every_table_can_be_taken_away_in_every_format(seen: Organiser) -> None:
    links = set(re.findall(r'href="(/organiser/round/round-1/export/[^"]+)"', seen.get("/export")))
    assert len(links) == 12 * 3 + 7 * 3
    for link in links:
        reply = seen.client.get(link)
        assert reply.status_code == 200
        assert re.fullmatch(r'attachment; filename="[\w.-]+"', reply.headers["content-disposition"])
    rows = list(csv.DictReader(io.StringIO(seen.client.get(f"{seen.base}/export/labels.csv").text)))
    assert len(rows) == 12
    lines = seen.client.get(f"{seen.base}/export/labels.jsonl?pseudonymous=true").text.splitlines()
    assert not {json.loads(line)["rater_id"] for line in lines} & {"R1", "R2", "R3"}
    coverage = seen.client.get(f"{seen.base}/export/coverage.csv").text
    alpha = agreement_so_far(seen.way.desk, seen.way.round)["kind"].alpha
    assert float(next(csv.DictReader(io.StringIO(coverage)))["alpha"]) == alpha.value


@pytest.mark.parametrize("path", ["labels.exe", "secrets.csv", "..%2Flabels.csv"])
def test_there_is_no_other_file(seen: Organiser, path: str) -> None:
    assert seen.client.get(f"{seen.base}/export/{path}").status_code == 404


def test_a_metrics_page_shows_its_items_most_divided_first(way: UnderWay, mine: Organiser) -> None:
    for name, first in (("Ann", "pass"), ("Bo", "fail"), ("Cleo", "borderline")):
        way.say(name, "i2", "kind", first, comment=HOSTILE, challenge="ambiguous")
        way.say(name, "i1", "kind", "pass")
    page = mine.get("/metric/1")
    assert page.index(">i2<") < page.index(">i1<")
    assert "Is the reply kind?" in page
    assert HOSTILE not in page
    assert "&lt;script&gt;alert(1)" in page
    assert mine.client.get(f"{mine.base}/metric/3", headers=HTML).status_code == 404


def test_a_store_in_postgresql_gives_the_same_pages(tmp_path: Path, postgres_server: Postgres) -> None:
    stores = {"here": "", "there": postgres_server.new(uuid.uuid4().hex)}
    shown, plans = {}, {}
    for name, store in stores.items():
        mine = organiser(filled(begun(tmp_path / name, store=store, items=5), items=5))
        page = re.sub(r'"20\d\d[^"]*"|[\d :-]* UTC', "", mine.get("/parts"))
        shown[name] = words(page)
        form = {
            "who": ["R3"],
            "person": ["R3"],
            "load": [""],
            "how": "plan",
            "budget": "4",
            "purpose": "floors",
        }
        plans[name] = words(mine.post("/assign/new", **form).text)
        assert mine.client.get(f"{mine.base}/export/labels.parquet").status_code == 200
    assert shown["here"] == shown["there"]
    assert plans["here"] == plans["there"]
    assert "10 of 30 planned labels are in." in shown["there"]


def test_a_rater_is_set_beside_the_others(seen: Organiser) -> None:
    page = seen.get("/rater/R1")
    (one,) = one_rater(seen.way.desk, seen.way.round, "R1")
    figures = words(page)
    assert f"Kindness 6 {number(one.alpha.value)} [" in figures
    assert "α without" in figures
    assert "undefined no item has two labels" in figures
    assert "No label of R3 counts" in words(seen.get("/rater/R3"))
    assert seen.client.get(f"{seen.base}/rater/Ann", headers=HTML).status_code == 404


def test_hostile_names_and_titles_stay_text(mine: Organiser, way: UnderWay) -> None:
    mine.post("/people", name=f"Eve {HOSTILE}", expertise=HOSTILE, contact=HOSTILE)
    mine.post("", base="/organiser/begin", act="begin", title=HOSTILE, metric=["kind"], protocol=HOSTILE)
    pages = [mine.get(path) for path in ("/", "/people", "/assign", "/gold", "/export")]
    pages += [mine.get("/", base="/organiser/round/round-2"), mine.get("/rounds", base="/organiser")]
    assert not [page for page in pages if HOSTILE in page]


def test_no_page_carries_inline_script_or_style(seen: Organiser) -> None:
    for path in ("/", "/people", "/assign", "/gold", "/export", "/metric/1", "/rater/R1", "/parts"):
        page = seen.get(path)
        assert " style=" not in page
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\son\w+=", page)


ROUTES = [
    ("GET", ""),
    ("GET", "parts"),
    ("GET", "people"),
    ("GET", "assign"),
    ("GET", "gold"),
    ("GET", "export"),
    ("GET", "export/labels.csv"),
    ("GET", "metric/1"),
    ("GET", "rater/R1"),
    ("GET", "judge"),
    ("POST", "close"),
    ("POST", "reopen"),
    ("POST", "people"),
    ("POST", "people/abc/revoke"),
    ("POST", "assign/new"),
    ("POST", "assign/names"),
    ("POST", "assign/confirm"),
    ("POST", "assign/withdraw"),
    ("POST", "assign/file"),
    ("POST", "gold/from"),
    ("POST", "gold/ask"),
    ("POST", "gold/file"),
]
FORM = {"draft": "x", "rater": "R1", "source": "x", "name": "Eve", "proof": "0" * 64}
FILE = {"file": ("g.csv", "item_id,metric,label\ni1,kind,pass\n")}


def events(way: UnderWay) -> int:
    return len(tables(way.desk)["events"])


@pytest.mark.parametrize("who", ["nobody", "rater", "panel"])
def test_nobody_else_opens_or_changes_anything(seen: Organiser, who: str) -> None:
    way = seen.way
    client = TestClient(create_app(way.desk, Site()), base_url="http://127.0.0.1:8765")
    if who == "rater":
        client.post("/enter", json={"token": way.people["Ann"].token})
    if who == "panel":
        client.post("/enter", json={"token": invite(way.desk, way.round.id, "panel", "Pia").token})
    before = events(way)
    for method, path in [*ROUTES, ("GET", "../../"), ("GET", "../../rounds"), ("GET", "../../begin")]:
        where = f"{seen.base}/{path}" if not path.startswith("..") else f"/organiser/{path[6:]}"
        if method == "GET":
            reply = client.get(where, headers=HTML, follow_redirects=False)
        else:
            files = FILE if path.endswith("file") else None
            reply = client.post(where, data=FORM, files=files, headers=HTML, follow_redirects=False)
        assert reply.status_code == 401, (who, path, reply.status_code)
        assert "12 of 36" not in reply.text
    assert events(way) == before


def test_a_form_without_our_proof_or_of_another_site_changes_nothing(seen: Organiser) -> None:
    before = events(seen.way)
    for method, path in [*ROUTES, ("POST", "begin")]:
        if method == "POST":
            where = "/organiser/begin" if path == "begin" else f"{seen.base}/{path}"
            files = FILE if path.endswith("file") else None
            assert seen.client.post(where, data=FORM, files=files, headers=HTML).status_code == 403
            headers = {**HTML, "origin": "https://elsewhere.example"}
            form = {**FORM, "proof": seen.proof}
            assert seen.client.post(where, data=form, files=files, headers=headers).status_code == 403
    assert events(seen.way) == before


def test_an_unknown_round_is_no_page(seen: Organiser) -> None:
    for path in ("", "people", "assign", "gold", "export", "metric/1", "rater/R1", "judge", "parts"):
        reply = seen.client.get(f"/organiser/round/round-9/{path}", headers=HTML)
        assert reply.status_code == 404
        assert "There is no such round." in reply.text


def test_the_way_in_leads_to_the_newest_round(mine: Organiser, way: UnderWay) -> None:
    reply = mine.client.get("/organiser/", follow_redirects=False)
    assert reply.headers["location"] == "/organiser/round/round-1/"
    way.desk.new_round(way.round.settings)
    reply = mine.client.get("/organiser/", follow_redirects=False)
    assert reply.headers["location"] == "/organiser/round/round-2/"
    assert "2 rounds of labelling" in mine.get("/rounds", base="/organiser")


def drafted(page: str) -> str:
    found = re.search(r'name="draft" value="([^"]+)"', page)
    assert found is not None
    return found[1]
