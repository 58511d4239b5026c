"""The application: every page of a study's review behind one shield."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from voirdire.errors import UserError
from voirdire.review.desk import Desk
from voirdire.web.rendering import page
from voirdire.web.review import entering, organisers, panels, raters
from voirdire.web.sessions import NoSession
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
    )
    for module in (entering, raters, organisers, panels):
        app.include_router(module.router(desk, site))
    report = str(files("voirdire.report") / "static")
    app.mount("/static/report", StaticFiles(directory=report), name="report")
    app.mount("/static", StaticFiles(directory=str(files("voirdire.web") / "static")), name="static")
    app.add_exception_handler(NoSession, _no_session)
    app.add_exception_handler(UserError, _mistake)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_middleware(Shield, site=site)
    if site.proxies:
        app.add_middleware(ProxyHeadersMiddleware, trusted_hosts=list(site.proxies))
    return app


def _no_session(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, NoSession)
    return _said(request, problem.reason, problem.status)


def _mistake(request: Request, problem: Exception) -> Response:
    return _said(request, str(problem), 422)


def _malformed(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    return _said(request, f"{where or 'the request'}: {first['msg']}", 422)


def _http(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    said = {404: "There is no such page.", 405: "That cannot be done here."}
    return _said(request, said.get(problem.status_code, str(problem.detail)), problem.status_code)


def _said(request: Request, sentence: str, status: int) -> Response:
    """One sentence: as JSON to a script, as a page to a person."""
    if "text/html" in request.headers.get("accept", ""):
        return page("said.html", status=status, sentence=sentence)
    return JSONResponse({"problem": sentence}, status)
