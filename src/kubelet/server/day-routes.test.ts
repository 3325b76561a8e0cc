import { describe, expect, it } from 'vitest';
import type { WorkloadDayList } from '../../api/index.ts';
import type { DayQuery } from '../day-ring/day-ring.ts';
import { dayRoutes } from './day-routes.ts';
import { nodeAttributes } from './request-attributes.ts';
import { RequestError } from './responses.ts';
import { parseCall } from './routes.ts';

const asked: DayQuery[] = [];
const [route] = dayRoutes(
  {
    answer: (query) => {
      asked.push(query);
      return { apiVersion: 'mendlet.dev/v1alpha1', kind: 'WorkloadDayList', nodeName: 'n1', items: [] };
    },
  },
  {
    diskUsedPercent: () => 42.5,
    nextSteps: () =>
      ['shop', 'media'].map((namespace) => ({ uid: 'u', namespace, words: 'pulls its image again', inMs: 9 })),
  },
);
const ask = async (query: string) =>
  route?.answer?.(parseCall({ method: 'GET', url: `/mendlet/v1/days${query}`, headers: {} }));
const told = async (query: string): Promise<WorkloadDayList> => {
  const body = (await ask(query))?.body;
  return JSON.parse(new TextDecoder().decode(body as Uint8Array)) as WorkloadDayList;
};

describe('/mendlet/v1/days', () => {
  it.each<[string, DayQuery]>([
    ['', { namespace: undefined, kind: undefined, name: undefined, series: false }],
    ['?namespace=shop&series=false', { namespace: 'shop', kind: undefined, name: undefined, series: false }],
    [
      '?namespace=shop&kind=Deployment&name=api&series=true',
      { namespace: 'shop', kind: 'Deployment', name: 'api', series: true },
    ],
  ])('%s', async (query, expected) => {
    expect((await ask(query))?.status).toBe(200);
    expect(asked.at(-1)).toEqual(expected);
  });

  it('has what comes next and how full the disk is, and of one namespace only what is its own', async () => {
    const all = await told('');
    expect(all.nodes).toEqual([{ name: 'n1', diskUsedPercent: 42.5 }]);
    expect(all.next?.map(({ namespace }) => namespace)).toEqual(['shop', 'media']);
    const one = await told('?namespace=shop');
    expect([one.nodes, one.next?.map(({ namespace }) => namespace)]).toEqual([undefined, ['shop']]);
    expect(await told('?name=api')).not.toHaveProperty('next');
  });

  it.each(['?series=1', '?series=true', '?namespace=shop&series=true'])('%s is refused', async (query) => {
    await expect(ask(query)).rejects.toThrow(RequestError);
  });

  it('needs the right to the history of the node', () => {
    expect(nodeAttributes('GET', ['mendlet', 'v1', 'days'], false)).toEqual({
      verbs: ['get'],
      subresources: ['history', 'proxy'],
    });
  });
});
