/** What a write may ask for in its query and its metadata, as a real server 1.36 has it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
  await api.call('POST', maps, { metadata: { name: 'a' } });
});
afterAll(() => api.close());

const maps = '/api/v1/namespaces/default/configmaps';
const merge = { 'content-type': 'application/merge-patch+json' };
const yaml = { 'content-type': 'application/yaml' };

describe('options of a write', () => {
  const long = 'm'.repeat(129);
  it.each<[string, string, string, unknown, Record<string, string>, string, RegExp]>([
    ['POST', maps, `fieldManager=${long}`, { metadata: { name: 'b' } }, {}, 'CreateOptions', /fieldManager: Too long/],
    ['PUT', `${maps}/a`, `fieldManager=${long}`, { metadata: { name: 'a' } }, {}, 'UpdateOptions', /fieldManager: Too/],
    ['PATCH', `${maps}/a`, `fieldManager=${long}`, {}, merge, 'PatchOptions', /fieldManager: Too long/],
    ['PATCH', `${maps}/a`, 'fieldManager=a%00b', {}, merge, 'PatchOptions', /should only contain printable characters/],
    [
      'PATCH',
      `${maps}/a`,
      'force=true',
      {},
      merge,
      'PatchOptions',
      /force: Forbidden: may not be specified for non-apply/,
    ],
    ['POST', maps, 'dryRun=Some', { metadata: { name: 'b' } }, {}, 'CreateOptions', /dryRun: Unsupported value/],
    ['POST', maps, 'fieldValidation=Some', { metadata: { name: 'b' } }, {}, 'CreateOptions', /fieldValidation: Unsupp/],
    ['DELETE', `${maps}/a`, 'dryRun=Some', undefined, {}, 'DeleteOptions', /dryRun: Unsupported value/],
    [
      'POST',
      '/api/v1/namespaces/default/serviceaccounts/default/token',
      'dryRun=Some',
      {},
      {},
      'CreateOptions',
      /dryRun/,
    ],
  ])('%s %s?%s is refused', async (method, url, query, body, headers, kind, message) => {
    const answer = await api.call(method, `${url}?${query}`, body, headers);
    expect(answer.status).toBe(422);
    expect(answer.body.details).toMatchObject({ group: 'meta.k8s.io', kind });
    expect(answer.body.message).toMatch(message);
    expect(answer.body.message).toContain(`${kind}.meta.k8s.io "" is invalid`);
  });
});

it('a negative limit is none', async () => {
  const { status, body } = await api.call('GET', `${maps}?limit=-1`);
  expect(status).toBe(200);
  expect(body.items.length).toBeGreaterThan(0);
});

it('a patch may not change the uid: 422; a PUT names it as a precondition: 409', async () => {
  const patched = await api.call('PATCH', `${maps}/a`, { metadata: { uid: 'other' } }, merge);
  expect(patched.status).toBe(422);
  expect(patched.body.message).toContain('metadata.uid: Invalid value: "other": field is immutable');
  expect((await api.call('PUT', `${maps}/a`, { metadata: { name: 'a', uid: 'other' } })).status).toBe(409);
});

it.each([
  ['foo', 422],
  ['orphan', 201],
  ['example.com/foo', 201],
])('the finalizer %s: %i', async (finalizer, code) => {
  const metadata = { name: `f-${finalizer.replace(/\W/g, '-')}`, finalizers: [finalizer] };
  const { status, body } = await api.call('POST', maps, { metadata });
  expect(status).toBe(code);
  if (code === 422)
    expect(body.message).toMatch(/finalizers\[0\].*neither a standard finalizer name nor is it fully q/);
});

it.each([
  ['name: y', 400],
  ['name: "y"', 201],
  ['name: 0644', 400],
])('a body in YAML with %s: %i, as kubectl reads it', async (text, code) => {
  const body = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  ${text}\n`;
  expect((await api.call('POST', maps, body, yaml)).status).toBe(code);
});

it('a pod that waits at a gate says since when', async () => {
  const pod = podManifest('gated') as { spec: object };
  const spec = { ...pod.spec, schedulingGates: [{ name: 'a.b/c' }] };
  const { body } = await api.call('POST', '/api/v1/namespaces/default/pods', { ...pod, spec });
  const [condition] = body.status.conditions;
  expect(condition).toMatchObject({ type: 'PodScheduled', reason: 'SchedulingGated' });
  expect(condition.lastTransitionTime).toBe(body.metadata.creationTimestamp);
});

it('a job without labels shows those of its pods; one with labels keeps its own', async () => {
  const job = (name: string, labels?: object) => ({
    metadata: { name, ...(labels && { labels }) },
    spec: {
      template: {
        metadata: { labels: { app: 'x' } },
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] },
      },
    },
  });
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const bare = (await api.call('POST', jobs, job('bare'))).body;
  expect(bare.metadata.labels).toMatchObject({ app: 'x', 'job-name': 'bare' });
  expect(bare.metadata.labels).toEqual(bare.spec.template.metadata.labels);
  expect((await api.call('POST', jobs, job('own', { app: 'x' }))).body.metadata.labels).toEqual({ app: 'x' });
});
