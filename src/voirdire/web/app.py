"""The application: every page of a study's review behind one shield."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from voirdire.review.desk import Desk
from voirdire.web.problems import RESPONSES, add_problems
from voirdire.web.review import entering, organisers, panels, raters
from voirdire.web.sessions import Sessions
from voirdire.web.shield import Shield
from voirdire.web.site import Site

__all__ = ["create_app"]


def create_app(desk: Desk, site: Site) -> FastAPI:
    """The pages of ``desk`` as served at ``site``, an ASGI application."""
    app = FastAPI(
        title="voirdire review",
        version=version("voirdire"),
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        responses=RESPONSES,
    )
    app.state.demo = desk.study.demo
    for module in (entering, raters, organisers, panels):
        app.include_router(module.router(desk, site))
    report = str(files("voirdire.report") / "static")
    app.mount("/static/report", StaticFiles(directory=report), name="report")
    app.mount("/static", StaticFiles(directory=str(files("voirdire.web") / "static")), name="static")
    add_problems(app)
    app.add_middleware(Shield, site=site, sessions=Sessions(desk))
    if site.proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(site.proxies))
    return app
