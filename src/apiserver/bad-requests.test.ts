/** Requests that no ordinary client makes: odd paths, methods and names. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterAll(() => api.close());

const maps = '/api/v1/namespaces/default/configmaps';
const notAllowed = 'the server does not allow this method on the requested resource';

describe('what is refused', () => {
  it.each([
    ['a method of another protocol', 'OPTIONS', maps, 405, notAllowed],
    ['a method that nobody knows', 'FOO', `${maps}/a`, 405, notAllowed],
    ['such a method on a path', 'TRACE', '/version', 405, notAllowed],
    ['creating in all namespaces', 'POST', '/api/v1/configmaps', 405, notAllowed],
    ['deleting in all namespaces', 'DELETE', '/api/v1/configmaps', 405, notAllowed],
    ['broken percent-encoding', 'GET', `${maps}/%zz`, 400, 'invalid percent-encoding in the path'],
    ['broken UTF-8', 'GET', `${maps}/%ff`, 400, 'invalid percent-encoding in the path'],
    ['a slash in a name', 'GET', `${maps}/a%2Fb`, 400, `Name parameter invalid: "a/b": may not contain '/'`],
    ['a percent sign in a name', 'GET', `${maps}/a%2525`, 400, `Name parameter invalid: "a%25": may not contain '%'`],
    ['a dot as a name', 'PUT', `${maps}/.`, 400, `Name parameter invalid: ".": may not be '.'`],
    ['two dots as a name', 'DELETE', `${maps}/..`, 400, `Name parameter invalid: "..": may not be '..'`],
    [
      'NUL in a name',
      'PATCH',
      `${maps}/a%00b`,
      400,
      String.raw`Name parameter invalid: "a\u0000b": may not contain NUL`,
    ],
    ['a slash in a namespace', 'GET', '/api/v1/namespaces/a%2Fb/configmaps', 400, /^Namespace parameter invalid/],
    ['NUL in a namespace', 'GET', '/api/v1/namespaces/a%00b/configmaps', 400, /^Namespace parameter invalid/],
    ['more path after what ends', 'GET', '/version/x', 404, 'the server could not find the requested resource'],
  ])('%s', async (_, method, url, code, message) => {
    const { status, body } = await api.call(method, url);
    expect(body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(body.message).toMatch(message);
    expect(status).toBe(code);
  });

  it('makes no series for names that nobody serves', async () => {
    await api.call('GET', '/api/v1/namespaces/default/nopes1');
    await api.call('GET', '/apis/nope2/v1/nopes');
    await api.call('GET', '/api/v1/namespaces/default/pods/a/nope3');
    await api.call('NOPE4', maps);
    const { body } = await api.call('GET', '/metrics');
    expect(body).toMatch(/verb="GET",group="",version="",resource="other"/);
    expect(body).not.toMatch(/nope\d|NOPE4|nopes/);
  });
});
