/** MongoDB: lines in JSON with the level in "s"; a fassert's words are its cause. */
import type { Dialect } from './dialect.ts';

export const mongodb: Dialect = {
  name: 'mongodb',
  recognises: /"c":"(?:CONTROL|STORAGE|NETWORK|REPL|ACCESS|-)"|\bmongod\b/,
  noise:
    /^(?:Shutting down|Now exiting|shutting down with code|Closing WiredTiger|Shutdown: |Releasing the|Dropping the scope|Stopping further|Enqueuing the|\*\*\*aborting after|Frame$|BACKTRACE|Writing fatal message$|Dropping scope)/i,
  consequence: /^(?:Fatal assertion|Terminating\.|DBException in initAndListen, terminating)/,
  recovery: /^Waiting for connections/,
  request: /^(?:Authentication failed|Checking authorization failed|Connection (?:accepted|ended)|Slow query)/,
};
