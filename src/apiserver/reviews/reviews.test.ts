import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeText, encodeText, readAll } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Loose, startTestServer, type TestServer } from '../test-server.ts';
import { createPlainTokenSigner } from '../tokens/plain-token-signer.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock(), tokens: createPlainTokenSigner('test') });
});
afterEach(() => api.close());

const authorization = '/apis/authorization.k8s.io/v1';
const authentication = '/apis/authentication.k8s.io/v1';
const bob = { name: 'bob', groups: ['system:authenticated'] };

async function askAs(user: { name: string; groups: string[] }, url: string, body: object): Promise<Loose> {
  const response = await api.server
    .as(user)
    .request({ method: 'POST', url, headers: {}, body: encodeText(JSON.stringify(body)) });
  return { status: response.status, body: JSON.parse(decodeText(await readAll(response.body, 1024 * 1024))) };
}

describe('SelfSubjectAccessReview', () => {
  const listPods = { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } };
  it('tells who may', async () => {
    const { status, body } = await api.call('POST', `${authorization}/selfsubjectaccessreviews`, { spec: listPods });
    expect(status).toBe(201);
    expect(body.status).toEqual({ allowed: true });
    expect((await askAs(bob, `${authorization}/selfsubjectaccessreviews`, { spec: listPods })).body.status).toEqual({
      allowed: false,
    });
  });
  it('has no table, and says so to those who want nothing else', async () => {
    const ask = async (accept: string) =>
      (await api.call('POST', `${authorization}/selfsubjectaccessreviews`, { spec: listPods }, { accept })).status;
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect(await ask(table)).toBe(406);
    expect(await ask(`application/json, ${table}`)).toBe(201);
  });
  it('tells of paths', async () => {
    const ask = (path: string) =>
      askAs(bob, `${authorization}/selfsubjectaccessreviews`, {
        spec: { nonResourceAttributes: { path, verb: 'get' } },
      });
    expect((await ask('/apis')).body.status.allowed).toBe(true);
    expect((await ask('/metrics')).body.status.allowed).toBe(false);
  });
  it('wants one question', async () => {
    const { status } = await api.call('POST', `${authorization}/selfsubjectaccessreviews`, { spec: {} });
    expect(status).toBe(422);
  });
});

describe('SubjectAccessReview', () => {
  const url = `${authorization}/subjectaccessreviews`;
  it('tells what a node may', async () => {
    const about = (name: string) => ({
      spec: {
        user: 'system:node:n1',
        groups: ['system:nodes'],
        resourceAttributes: { verb: 'delete', resource: 'nodes', name },
      },
    });
    expect((await api.call('POST', url, about('n1'))).body.status.allowed).toBe(true);
    expect((await api.call('POST', url, about('n2'))).body.status).toMatchObject({ allowed: false });
  });
  it('is not for everybody, and names somebody', async () => {
    const spec = { resourceAttributes: { verb: 'get', resource: 'pods' } };
    expect((await askAs(bob, url, { spec: { ...spec, user: 'x' } })).status).toBe(403);
    expect((await api.call('POST', url, { spec })).body.message).toContain('at least one of user or group');
  });
  it('has a local form for one namespace', async () => {
    const local = `${authorization}/namespaces/a/localsubjectaccessreviews`;
    const about = (namespace: string) => ({
      spec: { user: 'bob', resourceAttributes: { verb: 'get', resource: 'pods', namespace } },
    });
    expect((await api.call('POST', local, about('a'))).body.status).toEqual({ allowed: false });
    expect((await api.call('POST', local, about('b'))).status).toBe(422);
    expect((await api.call('POST', `${authorization}/localsubjectaccessreviews`, about('a'))).status).toBe(405);
  });
});

it('SelfSubjectReview tells who asks', async () => {
  const { body } = await askAs(bob, `${authentication}/selfsubjectreviews`, {});
  expect(body.status).toEqual({ userInfo: { username: 'bob', groups: ['system:authenticated'] } });
});

it('SelfSubjectRulesReview lists what one may', async () => {
  const url = `${authorization}/selfsubjectrulesreviews`;
  const { body } = await api.call('POST', url, { spec: { namespace: 'default' } });
  expect(body.status.incomplete).toBe(false);
  expect(body.status.resourceRules).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
  expect(body.status.nonResourceRules).toContainEqual({ verbs: ['*'], nonResourceURLs: ['*'] });
  expect((await askAs(bob, url, { spec: { namespace: 'default' } })).body.status.resourceRules).toContainEqual({
    verbs: ['create'],
    apiGroups: ['authentication.k8s.io'],
    resources: ['selfsubjectreviews'],
  });
  const node = { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] };
  expect((await askAs(node, url, { spec: { namespace: 'default' } })).body.status.incomplete).toBe(true);
});

describe('TokenReview', () => {
  const url = `${authentication}/tokenreviews`;
  it('tells whose a token is', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await api.call('POST', accounts, { metadata: { name: 'builder' } });
    const made = await api.call('POST', `${accounts}/builder/token`, { spec: { audiences: ['vault'] } });
    const { token } = made.body.status;
    const { body } = await api.call('POST', url, { spec: { token, audiences: ['vault', 'other'] } });
    expect(body.status).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
      user: { username: 'system:serviceaccount:default:builder' },
    });
    expect((await api.call('POST', url, { spec: { token } })).body.status.authenticated).toBeUndefined();
  });
  it('tells why a text is none', async () => {
    const { status, body } = await api.call('POST', url, { spec: { token: 'nonsense' } });
    expect(status).toBe(201);
    expect(body.status).toEqual({ user: {}, error: 'invalid bearer token' });
    expect((await api.call('POST', url, { spec: {} })).status).toBe(400);
  });
});

it('questions are not kept: nobody can read them', async () => {
  expect((await api.call('GET', `${authentication}/tokenreviews`)).status).toBe(405);
});

it.each(['fieldSelector', 'labelSelector'])('a review has one form of %s', async (name) => {
  const requirements = [{ key: 'a', operator: 'In', values: ['b'] }];
  const ask = async (selector: object): Promise<Loose> => {
    const resourceAttributes = { verb: 'list', resource: 'pods', [name]: selector };
    const spec = { user: 'eve', resourceAttributes };
    return (await api.call('POST', `${authorization}/subjectaccessreviews`, { spec })).body;
  };
  const path = `spec.resourceAttributes.${name}`;
  expect((await ask({ rawSelector: 'a=b', requirements })).message).toContain(
    `${path}.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`,
  );
  expect((await ask({})).message).toContain(
    `${path}.requirements: Required value: when ${path} is specified, requirements or rawSelector is required`,
  );
  expect((await ask({ rawSelector: 'a=b' })).status).toMatchObject({ allowed: false });
  expect((await ask({ requirements })).status).toMatchObject({ allowed: false });
});
