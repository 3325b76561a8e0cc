import { describe, expect, it } from 'vitest';
import { evidence } from '../../evidence.fixtures.ts';
import { podFacts } from '../pod/pod-facts.ts';
import { riddleIn, withLineEnds } from './riddles.ts';

describe('riddleIn', () => {
  it.each<[line: string, meaning: RegExp]>([
    ['InvalidReceiveException: Invalid receive (size = 1195725856 larger than 104857600)', /"GET": an HTTP request/],
    ['java.io.IOException: Len error 1347375956', /"POST": an HTTP request/],
    ['recv(): message msgLen 542393671 is invalid. Min 16 Max: 48000000', /"GET": an HTTP request/],
    ['Invalid message size: 369296130', /the beginning of TLS/],
    ['/data/import.lock: held by pid 1 for 177221s, waiting', /left of an earlier life/],
    ['invalid request block size: 21573 (max 4096)...skip', /letters of "GET".*http-socket would speak HTTP/],
    ['invalid request block size: 21327 (max 4096)...skip', /letters of "POST"/],
  ])('%s', (line, meaning) => {
    expect(riddleIn(line)).toMatch(meaning);
  });
  it.each([
    'held by pid 12, waiting',
    'invalid request block size: 4161 (max 4096)...skip',
    'size = 104857600',
    'took 1195725856 ns',
    'size 99999999999',
  ])('is none: %s', (line) => {
    expect(riddleIn(line)).toBeUndefined();
  });
});

it('blames no DNS server for a name with a line end behind it', () => {
  const says =
    'container web does not find cache (no such name) and ends: service cache is there, but no DNS server told its name; its configuration /config/app.env is of ConfigMap env (line 1, REDIS_HOST) and has Windows line ends (CR LF)';
  const finding = {
    id: 'dependency-not-resolved',
    severity: 'critical' as const,
    rank: 80,
    topic: 'end/web',
    says,
    evidence: [],
    try: ['kubectl get service/kube-dns -n kube-system', 'kubectl edit configmap/env'],
  };
  const [told] = withLineEnds(podFacts(evidence()), [finding]);
  expect(told?.says).toMatch(
    /and ends: the name has a line end \(CR\) behind it, with which nobody has it; its configuration/,
  );
  expect(told?.try).toEqual(['kubectl edit configmap/env']);
});
