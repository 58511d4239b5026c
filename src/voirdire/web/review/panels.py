"""Pages under ``/panel``."""

from __future__ import annotations

from fastapi import APIRouter

from voirdire.review.desk import Desk
from voirdire.web.site import Site

__all__ = ["router"]


def router(desk: Desk, site: Site) -> APIRouter:
    """Everything under ``/panel``."""
    return APIRouter(prefix="/panel")
