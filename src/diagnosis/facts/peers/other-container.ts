/** Tells that a service leads to another container of its pods than the one that they are for. Pure. */
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { listed } from '../words/text.ts';

/** Statuses of one that does not know what it is asked for, or how. */
const NOT_KNOWN: ReadonlySet<number> = new Set([400, 404, 405, 421, 426, 501]);
/** Names of containers that stand before another one, which a service may well lead to. */
const IN_FRONT = /proxy|envoy|nginx|haproxy|caddy|gateway|tls|auth|istio|linkerd|front|ingress|cache|varnish/i;

/** "port 80 of service web leads to port 9090 of its pods, which is that of container metrics; container web has port 8000"; undefined: it does not. */
export function otherContainerText(
  { name, targets = [], server }: Pick<ServiceEvidence, 'name' | 'targets' | 'server'>,
  status: number,
): string | undefined {
  const { containers = [], initContainers = [] } = server?.pod.spec ?? {};
  const [first, ...others] = containers;
  if (!NOT_KNOWN.has(status) || first === undefined) return undefined;
  const own = (first.ports ?? []).map(({ containerPort }) => containerPort);
  const sidecars = [...others, ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')];
  for (const { port, target } of own.length === 0 ? [] : targets) {
    const asked = own.includes(target)
      ? undefined
      : sidecars.find(({ ports = [] }) => ports.some(({ containerPort }) => containerPort === target));
    if (asked === undefined || IN_FRONT.test(asked.name)) continue;
    return `port ${port} of service ${name} leads to port ${target} of its pods, which is that of container ${asked.name}; container ${first.name} has port ${listed(own.map(String))}`;
  }
  return undefined;
}
