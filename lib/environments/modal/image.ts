/** The image of a Modal sandbox: one of the user's account, or one of a registry with what commands there rely on. */

import type { Image, ModalClient } from "modal";

/** Images whose packages can be installed with apt and which often come without Python. */
const debianLike = /^(?:[\w.-]+(?::\d+)?\/)*(?:debian|ubuntu)(?:[:@]|$)/;

/** Images without pip, or with a broken one, are common; the image builder itself needs it. */
const repairPip =
	"RUN if command -v python3 >/dev/null; then python3 -m pip --version >/dev/null 2>&1 || python3 -m ensurepip --upgrade --default-pip || true; fi";

const installPython =
	"RUN command -v python3 >/dev/null || { apt-get update -qq && apt-get install -y -qq python3 python3-venv && rm -rf /var/lib/apt/lists/*; }";

/** The image that `name` stands for. Nothing is built yet. @throws {Error} When the account has no such image. */
export async function imageFor(client: ModalClient, name: string): Promise<Image> {
	if (name.startsWith("im-")) return client.images.fromId(name);
	return client.images
		.fromRegistry(name)
		.dockerfileCommands([...(debianLike.test(name) ? [installPython] : []), repairPip]);
}
