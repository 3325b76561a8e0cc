/** nginx: [emerg] ends it; [error] with "client:" is about one request. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const nginx: Dialect = {
  name: 'nginx',
  recognises:
    /\bnginx(?::|\/\d)|\[(?:emerg|crit|alert|notice)\] \d+#\d+:|, client: [\d.:a-f]+, server: |^\/docker-entrypoint\.sh: /,
  noise: anyOf(
    /configuration file \S+ test (?:failed|is successful)/,
    /^\/docker-entrypoint\.sh: (?!.*error)/,
    /^(?:using the "|start worker|worker process \d+ exited with code 0|signal \d+ \(SIG(?:TERM|QUIT|CHLD|IO)\)|exiting|exit$|gracefully shutting down|getrlimit)/,
    /could not open error log file: open\(\) "\/var\/log\/nginx/,
  ),
  consequence: /still could not bind|cannot respawn|^(?:worker|cache)[\w ]* process \d+ exited/,
  recovery: /^start worker processes?$/,
  request:
    /, client: \S+, server: |\bwhile (?:connecting to upstream|reading response header|SSL handshaking|reading client|sending)/,
};
