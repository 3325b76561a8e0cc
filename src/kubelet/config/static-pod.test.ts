import { describe, expect, it } from 'vitest';
import { readStaticPod } from './static-pod.ts';

const GOOD = `
apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  containers:
  - name: main
    image: example.test/web:1
`;

const read = (text: string, change: { file?: string; nodeName?: string } = {}) =>
  readStaticPod({ file: '/m/web.yaml', nodeName: 'node-1', seen: '2026-11-21T00:00:00Z', text, ...change });

function podOf(text: string, change: { file?: string; nodeName?: string } = {}) {
  const result = read(text, change);
  if ('problem' in result) throw new Error(result.problem);
  return result.pod;
}

describe('readStaticPod', () => {
  it('gives the pod the node’s name, a UID of its content and the marks of its source', () => {
    const pod = podOf(GOOD);
    expect(pod.metadata).toMatchObject({ name: 'web-node-1', namespace: 'default', labels: { app: 'web' } });
    expect(pod.metadata?.uid).toMatch(/^[0-9a-f]{32}$/);
    expect(pod.metadata?.annotations).toEqual({
      'kubernetes.io/config.hash': pod.metadata?.uid,
      'kubernetes.io/config.seen': '2026-11-21T00:00:00Z',
      'kubernetes.io/config.source': 'file',
    });
    expect(pod.spec?.nodeName).toBe('node-1');
    expect(pod.spec?.tolerations).toContainEqual({ operator: 'Exists', effect: 'NoExecute' });
    expect(pod.spec?.restartPolicy).toBe('Always');
  });

  it('is the same pod for the same content, file and node, and another for any other', () => {
    const { uid } = podOf(GOOD).metadata ?? {};
    expect(podOf(`# a comment\n${GOOD}`).metadata?.uid).toBe(uid);
    expect(podOf(GOOD.replace('web:1', 'web:2')).metadata?.uid).not.toBe(uid);
    expect(podOf(GOOD, { file: '/m/other.yaml' }).metadata?.uid).not.toBe(uid);
    expect(podOf(GOOD, { nodeName: 'node-2' }).metadata?.uid).not.toBe(uid);
  });

  it('reads JSON too', () => {
    const json = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect(podOf(json).metadata?.name).toBe('a-node-1');
  });

  it.each([
    ['', '/m/web.yaml: holds no pod'],
    [`${GOOD}---${GOOD}`, 'holds more than one object'],
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
      'line 1: a static pod is an object of apiVersion v1 and kind Pod',
    ],
    ['apiVersion: v1\nkind: [\n', '/m/web.yaml: line 3'],
    [GOOD.replace('image:', 'imagee:'), 'unknown field "spec.containers[0].imagee"'],
    [GOOD.replace('  name: web', '  name: web\n  uid: ../../etc'), 'metadata.uid: Invalid value: "../../etc"'],
    [GOOD.replace('  name: web', '  name: web\n  uid: "a\\0b"'), 'metadata.uid: Invalid value: "a\\u0000b"'],
    [GOOD.replace('name: main', 'name: Not_Good'), 'spec.containers[0].name'],
    [`${GOOD}  serviceAccountName: robot\n`, 'static pods may not reference serviceaccounts'],
    [`${GOOD}    envFrom: [{secretRef: {name: s}}]\n`, 'static pods may not reference secrets'],
    [`${GOOD}  volumes: [{name: v, configMap: {name: c}}]\n`, 'static pods may not reference configmaps'],
    [
      `${GOOD}  volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]\n`,
      'may not reference serviceaccounts',
    ],
  ])('says what is wrong with a file (%#)', (text, problem) => {
    const result = read(text);
    expect('problem' in result ? result.problem : result).toContain(problem);
  });
});
