/** Finds a URL without TLS to a port at which servers mostly speak it, of a container whose peer closes the connection. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText } from '../variables/environment.ts';
import { commandText } from './spec-peers.ts';

const PLAIN =
  /\b(http|ws|redis|amqp|ldap):\/\/(?:[^\s/@"']{0,200}@)?[\w.-]{1,200}:(443|8443|9443|6443|4443|10250|6380|5671|636)\b/;

/** "its http:// asks port 8443 without TLS, which servers mostly speak there (variable API_URL)"; undefined: it has no such URL. */
export function plainUrlText({ spec, environment }: ContainerFacts): string | undefined {
  for (const variable of environment) {
    const [, scheme, port] = PLAIN.exec(variable.value.slice(0, 1000)) ?? [];
    if (port !== undefined) return told(scheme ?? '', port, `variable ${variable.name}${ofText(variable)}`);
  }
  const [, scheme, port] = PLAIN.exec(commandText(spec, environment)) ?? [];
  return port === undefined ? undefined : told(scheme ?? '', port, 'command');
}

function told(scheme: string, port: string, where: string): string {
  return `its ${scheme}:// asks port ${port} without TLS, which servers mostly speak there (${where})`;
}
