/** Whether anything asks for a service, as far as the specifications of the pods around it say. Pure. */
import type { Pod } from '../../api/index.ts';
import type { Container } from '../evidence/kinds.ts';

/** Characters of one value in which it is looked for. */
const MAX_TEXT = 4000;

export interface Named {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The pods whose variables, commands or probes name the service as a host: "db", "db:5432", "//db/", "@db", "db.shop.svc"; from another
 * namespace with its own. What it is only a part of, such as a path, is no host.
 */
export function podsThatName({ namespace, name }: Named, pods: readonly Pod[]): readonly Pod[] {
  const full = String.raw`\.${escaped(namespace)}(?:\.svc(?:\.[\w.-]{1,200})?)?`;
  const [own, other] = [`(?:${full})?`, full].map(
    (end) => new RegExp(String.raw`(?:^|[\s"'=,;(@]|//)${escaped(name)}${end}(?=$|[\s"',;)/?]|:\d)`),
  ) as [RegExp, RegExp];
  return pods.filter(({ metadata, spec, status }) => {
    const host = metadata?.namespace === namespace ? own : other;
    if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
    return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].some((container) =>
      textsOf(container).some((text) => host.test(text.slice(0, MAX_TEXT))),
    );
  });
}

function textsOf({ env = [], command = [], args = [], readinessProbe, livenessProbe }: Container): readonly string[] {
  return [
    ...env.flatMap(({ value }) => value ?? []),
    ...command,
    ...args,
    ...[readinessProbe, livenessProbe].flatMap((probe) => probe?.exec?.command ?? []),
  ];
}

function escaped(text: string): string {
  return text.replace(/[^\w-]/g, String.raw`\$&`);
}
