/** Lists the ports on which a container may listen by its specification. Pure. */
import type { Container } from '../../evidence/kinds.ts';
import type { Quote } from '../../finding.ts';
import { quotable } from '../words/text.ts';

export interface OwnPort {
  readonly port: string;
  readonly quote: Quote;
}

const MAX_TEXT = 4000;
/** Characters around the number that are quoted. */
const AROUND = 40;
/** "--port=8080", "-listen :8080" */
const BY_FLAG = /(?:--?(?:[\w-]{0,30}port|listen|bind|addr(?:ess)?|p)[= ]\S{0,80}?)(\d{2,5})(?=\s|$)/gi;
/** "0.0.0.0:8080", ":8080", "localhost:8080", "TCP-LISTEN:8080": no peer has such a name. */
const BY_ADDRESS =
  /(?:^|[\s"'=/,])(?:0\.0\.0\.0|127\.0\.0\.1|localhost|\[::1?\]|\*|(?:TCP|UDP)[46]?-(?:LISTEN|RECV\w{0,8}))?:(\d{2,5})(?=[\s"',;/]|$)/gi;
/** A number by itself, but for those of times and amounts: "http.server 8080". */
const BY_ITSELF = /(?<!\b(?:sleep|timeout|--?[\w-]{1,30})[ =])(?<=^|[\s"'(])(\d{4,5})(?=["']?\s|["';)]|$)/g;

/** The ports that it declares, else those of its variables, of its flags and addresses, and of its arguments: the first that there are. */
export function ownPorts({ spec, path }: { readonly spec: Container; readonly path: string }): readonly OwnPort[] {
  const ports = (spec.ports ?? []).map(({ containerPort }, index): OwnPort => {
    const value = String(containerPort);
    return { port: value, quote: { source: 'field', path: `${path}.ports[${index}].containerPort`, value } };
  });
  const variables = (spec.env ?? []).flatMap(({ name, value = '' }, index): readonly OwnPort[] => {
    const port = /(?:^|_)(?:PORT|LISTEN|BIND|ADDR(?:ESS)?)$/.test(name)
      ? /(?:^|:)(\d{2,5})$/.exec(value)?.[1]
      : undefined;
    return port === undefined
      ? []
      : [{ port, quote: { source: 'field', path: `${path}.env[${index}] (${name})`, value } }];
  });
  const all = [
    ports,
    variables,
    inCommand(spec, path, BY_FLAG),
    inCommand(spec, path, BY_ADDRESS),
    inCommand(spec, path, BY_ITSELF),
  ];
  const single = all.find((each) => each.length === 1);
  return single ?? unique(all.flat());
}

/** Whether its command or arguments have the port, in whatever place. */
export function hasInCommand(spec: Container, port: string): boolean {
  const all = [BY_FLAG, BY_ADDRESS, BY_ITSELF].flatMap((pattern) => inCommand(spec, '', pattern));
  return all.some((each) => each.port === port);
}

function inCommand(spec: Container, path: string, pattern: RegExp): readonly OwnPort[] {
  const found = (['command', 'args'] as const).flatMap((field) => {
    const text = (spec[field] ?? []).join(' ').slice(0, MAX_TEXT);
    return [...text.matchAll(pattern)].flatMap((match): readonly OwnPort[] => {
      const [whole, port = ''] = match;
      if (Number(port) > 65_535 || Number(port) < 1) return [];
      const value = quotable(text.slice(Math.max(0, match.index - AROUND), match.index + whole.length));
      return [{ port, quote: { source: 'field', path: `${path}.${field}`, value } }];
    });
  });
  return unique(found);
}

function unique(all: readonly OwnPort[]): readonly OwnPort[] {
  return [...new Map(all.map((each) => [each.port, each])).values()];
}
