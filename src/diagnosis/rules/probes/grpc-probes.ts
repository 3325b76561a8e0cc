/** Probes by gRPC of servers that speak something else, and by HTTP of servers of gRPC. Not a rule by itself. */
import { lastLine, quoteLine } from '../../facts/words/last-words.ts';
import { listeningQuote } from '../../facts/probes/listening.ts';
import { PREFACE } from '../../facts/probes/probe-failures.ts';
import { probePort } from '../../facts/probes/probe-port.ts';
import type { RankedFinding } from '../../finding.ts';
import { lostReadiness } from './readiness.ts';
import { tooTight } from './probe-answers.ts';
import { baseOf, consequence, field, type ProbeCase, quotes } from './probe-case.ts';

/** The server takes the beginning of HTTP/2 for a bad request, or says nothing to it. */
export function noGrpc(one: ProbeCase): RankedFinding {
  const { facts, container, type, effect, probe, failure } = one;
  const port = probePort(container, probe);
  const word = lastLine(container, PREFACE);
  const isHttp = word !== undefined || /preface|HTTP\/1/.test(failure.output);
  // One that answered before speaks it, and hangs.
  if (!isHttp && (effect === 'shaky' || (effect === 'unready' && lostReadiness(facts, container))))
    return tooTight(one);
  const what = isHttp
    ? 'the container answers by HTTP/1'
    : 'what listens there does not speak it (it may speak HTTP/1, or TLS, which such probes do not)';
  return {
    ...baseOf(one),
    id: 'probe-scheme',
    rank: 88,
    says: `${consequence(one)}, which asks port ${port ?? '?'} by gRPC, but ${what}`,
    evidence: quotes(
      one,
      field(one, 'grpc.port', port),
      ...(word === undefined ? listeningQuote(container, type) : [quoteLine(container, word.line)]),
    ),
    try: facts.commands.edit,
    ...(isHttp && {
      manifest: `containers:\n- name: ${container.name}\n  ${type}Probe:\n    grpc: null\n    httpGet:\n      path: /\n      port: ${port}\n`,
    }),
  };
}

/** The server begins with a frame of HTTP/2, whatever it is asked. */
export function wantsGrpc(one: ProbeCase): RankedFinding {
  const { facts, container, type, probe } = one;
  const port = probePort(container, probe);
  return {
    ...baseOf(one),
    id: 'probe-scheme',
    rank: 88,
    says: `${consequence(one)}, which asks port ${port ?? '?'} by HTTP/1, but the container speaks HTTP/2 alone, as servers of gRPC do`,
    evidence: quotes(one, field(one, 'httpGet.port', port)),
    try: facts.commands.edit,
    manifest: `containers:\n- name: ${container.name}\n  ${type}Probe:\n    httpGet: null\n    grpc:\n      port: ${port}\n`,
  };
}
