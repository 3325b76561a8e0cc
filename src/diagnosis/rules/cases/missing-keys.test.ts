/** Tests the advice beside a key that a ConfigMap or Secret does not have. */
import { expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { evidence, pod, waiting } from '../../evidence.fixtures.ts';
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';

const next = (key: string, keys: readonly string[]): string => {
  const config: ConfigEvidence = { kind: 'Secret', name: 'pay', state: 'found', keys };
  const given = {
    pod: pod({
      status: waiting('CreateContainerConfigError', `couldn't find key ${key} in Secret shop/pay`),
      podStatus: { phase: 'Pending' },
    }),
    configs: [config],
  };
  return diagnosePod(evidence(given)).findings[0]?.try.join('\n') ?? '';
};

it.each<[string, readonly string[]]>([
  ['api-token', ['api_token']],
  ['ca.pem', ['ca.crt', 'note']],
  ['prometheus.yml', ['prometheus.yaml']],
  ['password', ['db-password', 'user']],
])('no second key %s is made where %j is there', (key, keys) => {
  expect(next(key, keys)).not.toContain('VALUE');
});

it('a key is made where none is like it', () => {
  expect(next('api-token', ['host', 'port'])).toContain('"api-token":"VALUE"');
});

it('one command changes the object, and no second one', () => {
  expect(next('api-token', ['host', 'port']).match(/\b(?:edit|patch) secret[ /]pay\b/g)).toHaveLength(1);
});
