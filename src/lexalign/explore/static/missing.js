// A page that does not exist has only the top.

import { watch } from "/shell.js";

watch(() => undefined);
