// Runs the checks of one driver: `client.mjs mysql2 | mariadb`.

import { close } from './notebook.mjs';

const { checks } = await import(`./${process.argv[2]}_checks.mjs`);
await checks();
close();
process.exit(0);
