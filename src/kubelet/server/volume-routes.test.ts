import { describe, expect, it } from 'vitest';
import { decodeText, encodeText, FileError, readAll, silentLogger } from '../../lib/index.ts';
import { VolumeProblem } from '../local-volumes/volume-problem.ts';
import { RequestError } from './responses.ts';
import { findRoute, parseCall } from './routes.ts';
import { volumeRoutes } from './volume-routes.ts';

function world(make: (name: string) => Promise<{ path: string }> = async (name) => ({ path: `/v/${name}` })) {
  const asked: string[] = [];
  const localVolumes = {
    make: async (name: string, { handle, capacityBytes }: { handle: string; capacityBytes: number }) => {
      asked.push(`make ${name} ${handle} ${capacityBytes}`);
      return await make(name);
    },
    remove: async (name: string, handle: string) => void asked.push(`remove ${name} ${handle}`),
    list: async () => ({ capacityBytes: 7, items: [] }),
  };
  const ask = async (
    method: string,
    path: string,
    text?: string,
  ): Promise<readonly [number, Record<string, unknown>]> => {
    const body = text === undefined ? {} : { body: encodeText(text) };
    const call = parseCall({ method, url: `/mendlet/v1/volumes${path}`, headers: {}, ...body });
    const route = findRoute(volumeRoutes({ localVolumes, logger: silentLogger }), call.parts);
    try {
      const answer = await route?.answer?.(call);
      if (answer === undefined) throw new Error('no route');
      return [answer.status, JSON.parse(decodeText(await readAll(answer.body, 1e5))) as Record<string, unknown>];
    } catch (error) {
      if (error instanceof RequestError) return [error.status, {}];
      throw error;
    }
  };
  return { asked, ask };
}

const BODY = '{"handle":"h","capacityBytes":5}';

describe('/mendlet/v1/volumes', () => {
  it('lists, makes and removes', async () => {
    const { ask, asked } = world();
    expect(await ask('GET', '')).toEqual([200, { capacityBytes: 7, items: [] }]);
    expect(await ask('PUT', '/pvc-1', BODY)).toEqual([200, { path: '/v/pvc-1' }]);
    expect(await ask('DELETE', '/pvc-1?handle=h')).toMatchObject([200, { status: 'Success' }]);
    expect(asked).toEqual(['make pvc-1 h 5', 'remove pvc-1 h']);
  });

  it.each<[string, string, string | undefined, number, string | undefined]>([
    ['PUT', '/pvc-1', undefined, 400, 'BadRequest'],
    ['PUT', '/pvc-1', '{', 400, 'BadRequest'],
    ['PUT', '/pvc-1', `{"handle":"${'h'.repeat(20_000)}"}`, 400, 'BadRequest'],
    ['PUT', '/pvc-1', '{"handle":"h","capacityBytes":0}', 400, 'BadRequest'],
    ['DELETE', '/pvc-1', undefined, 400, 'BadRequest'],
    ['DELETE', '/pvc-1?handle=..%2fx', undefined, 400, 'BadRequest'],
    ['PUT', '/pvc-1/data', BODY, 404, undefined],
  ])('refuses %s %s with body %s', async (method, path, body, code, reason) => {
    const { ask, asked } = world();
    const [status, answer] = await ask(method, path, body);
    expect([status, answer['reason'], asked]).toEqual([code, reason, []]);
  });

  it.each<[Error, number, string]>([
    [new VolumeProblem('NotEnoughSpace', 'full'), 507, 'NotEnoughSpace'],
    [new VolumeProblem('VolumesFolderAway', 'away'), 503, 'VolumesFolderAway'],
    [new VolumeProblem('VolumeLost', 'lost'), 410, 'VolumeLost'],
    [new FileError('EIO', '/v', 'EIO'), 500, 'InternalError'],
  ])('answers %s with %i', async (error, code, reason) => {
    const { ask } = world(() => Promise.reject(error));
    const { message } = error;
    expect(await ask('PUT', '/pvc-1', BODY)).toMatchObject([code, { kind: 'Status', reason, message, code }]);
  });

  it('is not there on a node that makes none', () => {
    expect(volumeRoutes({ localVolumes: undefined, logger: silentLogger })).toEqual([]);
  });
});
