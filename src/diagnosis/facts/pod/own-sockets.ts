/** Finds the unix socket on which a container listens by its specification, and not on a port. Pure. */
import { configFiles } from '../configs/config-files.ts';
import { textOf } from '../configs/config-lines.ts';
import type { ContainerFacts } from './container-facts.ts';
import type { PodFacts } from './pod-facts.ts';
import { commandText } from '../peers/spec-peers.ts';

/** "listen = /run/php.sock", "bind unix:/run/app.sock", "socket = /run/uwsgi.sock" */
const OF_FILE =
  /^\s{0,40}(?:listen|bind|address|(?:http-)?socket|unix_?socket|uds|listen_address)\b\s{0,20}[:= ]\s{0,20}["']?(?:unix:(?:\/\/)?)?(\/[\w./@-]{2,200}?)["']?;?\s{0,20}$/;
/** "--uds /run/a.sock", "-b unix:/run/a.sock", "--bind=unix:/run/a.sock", "-s /run/a.sock" */
const OF_COMMAND = /(?:\s|=)(?:--uds[= ]|(?:--?\w[\w-]{0,20}[= ])?unix:(?:\/\/)?)(\/[\w./@-]{2,200})/;
const MAX_LINES = 2000;

/** "line 6 of its configuration /etc/fpm.conf (ConfigMap fpm) lets it listen on the socket /run/php.sock"; undefined: nothing does. */
export function ownSocket(facts: PodFacts, container: ContainerFacts): string | undefined {
  const command = OF_COMMAND.exec(commandText(container.spec, container.environment))?.[1];
  if (command !== undefined) return `its command lets it listen on the socket ${command}`;
  const found = configFiles(facts, container).flatMap((config) => {
    const lines = (textOf(facts, config) ?? '').split('\n').slice(0, MAX_LINES);
    return lines.flatMap((line, index) => {
      const socket = OF_FILE.exec(line.slice(0, 400))?.[1];
      const of = config.origin?.config;
      return socket === undefined || !/sock|\/run\//.test(socket) || of === undefined
        ? []
        : [
            `line ${index + 1} of its configuration ${config.file} (${of.kind} ${of.name}) lets it listen on the socket ${socket}`,
          ];
    });
  });
  return found.length === 1 ? found[0] : undefined;
}
