/** The program with all its verbs; those that run for long need it. */
import { agent } from './agent.ts';
import { dashboard } from './dashboard.ts';
import { down } from './down.ts';
import { healer } from './healer.ts';
import { image } from './image.ts';
import { runProgram } from './run-program.ts';
import { server } from './server.ts';
import { store } from './store.ts';
import { token } from './token.ts';
import { up } from './up.ts';

await runProgram({ agent, dashboard, down, healer, image, server, store, token, up });
