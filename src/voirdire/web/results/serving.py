"""The same pages served as they are asked for, to this machine alone unless the site says otherwise."""

from __future__ import annotations

import mimetypes
import tempfile
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from voirdire.report.folder import write as write_report
from voirdire.web.problems import RESPONSES, add_problems
from voirdire.web.results import addresses
from voirdire.web.results.pages import REPORT, Content, Pages
from voirdire.web.results.shown import Shown
from voirdire.web.shield import Shield
from voirdire.web.site import Site

__all__ = ["results_app"]

AUDITS = REPORT.rpartition("/")[0] + "/"
"""Where the whole audit is; its pages name their own scripts in a policy of their own."""


def results_app(shown: Shown, site: Site) -> FastAPI:
    """The pages of ``shown`` as served at ``site``, an ASGI application that changes nothing."""
    pages, report = Pages(shown), _Report(shown)
    pages.prepare()
    app = FastAPI(
        title="voirdire results", docs_url=None, redoc_url=None, openapi_url=None, responses=RESPONSES
    )

    app.mount(
        "/static/report", StaticFiles(directory=str(files("voirdire.report") / "static")), name="report"
    )
    app.mount("/static", StaticFiles(directory=str(files("voirdire.web") / "static")), name="static")

    @app.get("/health")
    def health() -> dict[str, str]:
        """Whether the server answers."""
        return {"status": "ok"}

    @app.get("/c/{conversation}")
    def conversation(conversation: str) -> Response:
        """A conversation by its id alone, wherever its page is."""
        place = shown.place(conversation)
        if place is None or shown.kept is None:
            raise HTTPException(404)
        node, system = place
        return RedirectResponse(f"/{addresses.talks(node.id, system, conversation)}", 303)

    @app.get("/{path:path}")
    async def page(request: Request, path: str) -> Response:
        """A page, a drawing or a download."""
        path = path or addresses.FIRST
        if path.startswith(AUDITS):
            return await run_in_threadpool(report.file, path)
        content = await run_in_threadpool(pages.page, path)
        if content is None:
            raise HTTPException(404)
        return _response(path, content)

    add_problems(app)
    app.add_middleware(Shield, site=site, own_policy=f"/{AUDITS}")
    return app


class _Report:
    """The whole audit, written to a folder of its own when somebody first asks for it."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown

    @cached_property
    def _folder(self) -> tempfile.TemporaryDirectory[str]:
        folder = tempfile.TemporaryDirectory(prefix="voirdire-audit-")
        assert self._shown.audit is not None, "asked for only where there is one"
        write_report(self._shown.audit, folder.name)
        return folder

    def file(self, path: str) -> Response:
        if self._shown.audit is None:
            raise HTTPException(404)
        folder = Path(self._folder.name).resolve()
        file = (folder / path.removeprefix(AUDITS)).resolve()
        if not file.is_relative_to(folder) or not file.is_file():
            raise HTTPException(404)
        return FileResponse(file)


def _response(path: str, content: Content) -> Response:
    kind = mimetypes.guess_type(path)[0] or "application/octet-stream"
    if isinstance(content, bytes):
        return Response(content, media_type=kind)
    return StreamingResponse(content, media_type="application/x-ndjson")
