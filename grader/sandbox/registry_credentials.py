"""Credentials for registries, used as the `docker` command uses them: those that are not available are left out."""

from __future__ import annotations

import logging
import shutil
from typing import Any

from docker.auth import AuthConfig
from docker.credentials.constants import PROGRAM_PREFIX
from docker.credentials.errors import StoreError
from docker.errors import DockerException

STORE_FAULTS = (DockerException, StoreError, ValueError, KeyError)
"""A helper that fails, and one whose answer is not as it should be."""

log = logging.getLogger(__name__)


class AvailableCredentials(AuthConfig):
    """What the user's configuration has, without stores whose helper is missing or fails: public images need none."""

    def __init__(self, config: AuthConfig) -> None:
        helpers = {registry: name for registry, name in config.cred_helpers.items() if _is_installed(name)}
        store = {"credsStore": config.creds_store} if config.creds_store and _is_installed(config.creds_store) else {}
        super().__init__({"auths": config.auths, "credHelpers": helpers, **store})

    @property
    def is_empty(self) -> bool:
        """Whether the SDK should read the configuration again."""
        return False

    def resolve_authconfig(self, registry: str | None = None) -> Any:  # noqa: ANN401 - the SDK's own type
        """Return the credentials for a registry, None if there are none."""
        try:
            return super().resolve_authconfig(registry)
        except STORE_FAULTS as error:
            log.info("no credentials for %s: %s", registry, error)
            return None

    def get_all_credentials(self) -> dict[str, Any]:
        """Return the credentials for all registries that a build may use."""
        stores = [{"credsStore": self.creds_store}] if self.creds_store else []
        stores += [{"credHelpers": {registry: name}} for registry, name in self.cred_helpers.items()]
        found = dict(self.auths)
        for store in stores:
            found.update(_stored(store))
        return found


def _is_installed(helper: str) -> bool:
    # The SDK prints a warning for one that is not.
    return shutil.which(f"{PROGRAM_PREFIX}{helper}") is not None


def _stored(store: dict[str, Any]) -> dict[str, Any]:
    try:
        return dict(AuthConfig(store).get_all_credentials())  # type: ignore[no-untyped-call]
    except STORE_FAULTS as error:
        log.info("no credentials: %s", error)
        return {}
