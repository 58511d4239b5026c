"""Metric reviews are kept in revisions, once each, and shown in the audit."""

from __future__ import annotations

from pathlib import Path

import pytest

import voirdire
from review.studies import begun
from voirdire.errors import UserError
from voirdire.review.metric_reviews import MetricReview, last_review, last_reviews, review_metric


def test_the_last_review_counts_and_one_sent_twice_counts_once(tmp_path: Path) -> None:
    way = begun(tmp_path)
    ann = way.people["Ann"].link.rater_id
    assert last_review(way.desk, way.round.id, ann, "kind") is None
    first = MetricReview(adequacy="adequate")
    second = MetricReview(
        adequacy="inadequate", rename="warmth", edits="Say whose words count.", comment="Vague."
    )
    assert review_metric(way.desk, way.round, ann, "kind", first, "review-001") == 1
    assert review_metric(way.desk, way.round, ann, "kind", second, "review-002") == 2
    assert review_metric(way.desk, way.round, ann, "kind", first, "review-001") == 1
    assert last_review(way.desk, way.round.id, ann, "kind") == second
    assert [row["revision"] for row in last_reviews(way.desk, way.round.id)] == [2]


def test_a_metric_that_is_not_asked_for_is_refused(tmp_path: Path) -> None:
    way = begun(tmp_path)
    with pytest.raises(UserError, match="no metric 'better' in this round"):
        review_metric(way.desk, way.round, "R1", "better", MetricReview(adequacy="adequate"), "review-001")


def test_reviews_stand_in_the_audit_with_the_name_and_the_edits_wanted(tmp_path: Path) -> None:
    way = begun(tmp_path)
    for name in ("Ann", "Bo"):
        for item in way.desk.study.items.ids:
            way.say(name, item, "kind", "pass")
    told = MetricReview(
        adequacy="uncertain", rename="warmth", edits="Say whose words count.", comment="Vague."
    )
    review_metric(way.desk, way.round, "R1", "kind", told, "review-001")
    review_metric(way.desk, way.round, "R2", "kind", MetricReview(adequacy="adequate"), "review-002")
    study = voirdire.open(tmp_path)
    assert [(one.adequacy, one.rater, one.rename) for one in study.reviews] == [
        ("uncertain", "R1", True),
        ("adequate", "R2", False),
    ]
    finding = voirdire.audit(study, voirdire.AuditOptions(checks=("reviews",), resamples=100)).findings[0]
    assert (
        "Of 2 reviews, 1 adequate, 1 uncertain, 0 inadequate; 1 (50\u202f%) want another name."
        in finding.answer.replace("\u00a0", "\u202f")
    )
    doubted = finding.tables[1].rows[0].cells
    assert doubted["comment"] == "Better named: warmth. Edits: Say whose words count. Vague."
