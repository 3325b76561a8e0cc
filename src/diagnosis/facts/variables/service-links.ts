/** Tells that an option which a program does not know is none of its own: Kubernetes sets variables of each service, and the program reads all that begin with its name. Pure. */
import type { Setting } from '../configs/setting.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** "unknown config directive: service-host", "unrecognized option port_6379_tcp_addr" */
const OF_SERVICE =
  /\b(?:unknown|unrecogni[sz]ed|invalid|unexpected|no such|unsupported|bad)\b.{0,60}?\b(service[-_.](?:host|port)(?:[-_.][a-z]\w{0,30})?|port[-_.]\d{1,5}[-_.](?:tcp|udp)(?:[-_.][a-z]{2,8})?)\b/i;

/** The variable that Kubernetes sets for the service of the program's own name; undefined: it says nothing of such an option. */
export function serviceLink({ pod }: PodFacts, container: ContainerFacts): Setting | undefined {
  const option = OF_SERVICE.exec(container.reading.decisive?.line ?? '')?.[1];
  if (option === undefined || pod.spec?.enableServiceLinks === false) return undefined;
  const program = (container.spec.command?.[0] ?? '').split('/').at(-1) ?? '';
  const name = /^(?:sh|bash|env|python3?|node|java|ruby|)$/.test(program) ? container.name : program;
  const variable = `${name}_${option}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  return {
    says: `${variable} is a variable that Kubernetes sets for a service ${name}, and the program takes it for an option: enableServiceLinks: false, or another name of the service, prevents that`,
    quotes: [
      {
        source: 'field',
        path: 'spec.enableServiceLinks',
        value: pod.spec?.enableServiceLinks === undefined ? 'not set, so that it is true' : 'true',
      },
    ],
  };
}
