/** MongoDB: lines in JSON with the level in "s"; a fassert's words are its cause. */
import { beginning } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const mongodb: Dialect = {
  name: 'mongodb',
  recognises: /"c":"(?:CONTROL|STORAGE|NETWORK|REPL|ACCESS|-)"|\bmongod\b/,
  noise: beginning(
    /Shutting down/i,
    /Now exiting/i,
    /shutting down with code/i,
    /Closing WiredTiger/i,
    /Shutdown: /i,
    /Releasing the/i,
    /Dropping the scope/i,
    /Stopping further/i,
    /Enqueuing the/i,
    /\*\*\*aborting after/i,
    /Frame$/i,
    /BACKTRACE/i,
    /Writing fatal message$/i,
    /Dropping scope/i,
  ),
  consequence: /^(?:Fatal assertion|Terminating\.|DBException in initAndListen, terminating)/,
  recovery: /^Waiting for connections/,
  request: /^(?:Authentication failed|Checking authorization failed|Connection (?:accepted|ended)|Slow query)/,
};
