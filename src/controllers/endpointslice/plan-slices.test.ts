import { describe, expect, it } from 'vitest';
import type { Endpoint, EndpointSlice } from '../../api/index.ts';
import { planSlices, type SliceContent, type SlicePlan } from './plan-slices.ts';

const HTTP = [{ name: 'http', protocol: 'TCP', port: 80 }];
const METRICS = [{ name: 'metrics', protocol: 'TCP', port: 9090 }];

function endpoint(name: string, ready = true): Endpoint {
  return { addresses: [`10.0.0.${name}`], conditions: { ready }, targetRef: { kind: 'Pod', name, uid: name } };
}

/** One per digit. */
function all(text: string): Endpoint[] {
  return text.split('').map((name) => endpoint(name));
}

function slice(name: string, endpoints: string, ports = HTTP): EndpointSlice {
  return { metadata: { name }, addressType: 'IPv4', ports, endpoints: all(endpoints) };
}

function plan(existing: EndpointSlice[], wanted: readonly Endpoint[], more: { placeholder?: boolean } = {}): SlicePlan {
  const groups = wanted.length === 0 ? [] : [{ ports: HTTP, endpoints: wanted }];
  return planSlices(existing, groups, { maxEndpoints: 4, isOutdated: () => false, placeholder: true, ...more });
}

const names = ({ endpoints }: SliceContent): string => endpoints.map(({ targetRef }) => targetRef?.name).join('');

function summary({ creates, updates, deletes }: SlicePlan): object {
  return {
    creates: creates.map(names),
    updates: updates.map(({ slice: old, content }) => `${old.metadata?.name}=${names(content)}`),
    deletes: deletes.map(({ metadata }) => metadata?.name),
  };
}

describe('planSlices', () => {
  it.each([
    { what: 'nothing to do', existing: [slice('a', '12')], wanted: '12', creates: [], updates: [], deletes: [] },
    { what: 'the first', existing: [], wanted: '123', creates: ['123'], updates: [], deletes: [] },
    { what: 'more than one holds', existing: [], wanted: '123456', creates: ['1234', '56'], updates: [], deletes: [] },
    { what: 'one less', existing: [slice('a', '123')], wanted: '13', creates: [], updates: ['a=13'], deletes: [] },
    {
      what: 'one goes, one comes: into its place',
      existing: [slice('a', '1234'), slice('b', '567')],
      wanted: '1245678',
      creates: [],
      updates: ['a=1248'],
      deletes: [],
    },
    {
      what: 'one comes: to the fullest that has room',
      existing: [slice('a', '1'), slice('b', '234'), slice('c', '5678')],
      wanted: '123456789',
      creates: [],
      updates: ['b=2349'],
      deletes: [],
    },
    {
      what: 'more come than one has room for: a new one',
      existing: [slice('a', '123'), slice('b', '456')],
      wanted: '12345678',
      creates: ['78'],
      updates: [],
      deletes: [],
    },
    {
      what: 'an empty one goes',
      existing: [slice('a', '1'), slice('b', '2')],
      wanted: '2',
      creates: [],
      updates: [],
      deletes: ['a'],
    },
    {
      what: 'the last becomes the placeholder',
      existing: [slice('a', '1')],
      wanted: '',
      creates: [],
      updates: ['a='],
      deletes: [],
    },
    { what: 'no pods yet', existing: [], wanted: '', creates: [''], updates: [], deletes: [] },
    { what: 'still none', existing: [slice('a', '', [])], wanted: '', creates: [], updates: [], deletes: [] },
    {
      what: 'the placeholder becomes the first',
      existing: [slice('a', '', [])],
      wanted: '1',
      creates: [],
      updates: ['a=1'],
      deletes: [],
    },
  ])('$what', ({ existing, wanted, creates, updates, deletes }) => {
    expect(summary(plan(existing, all(wanted)))).toEqual({ creates, updates, deletes });
  });

  it('a changed endpoint is changed where it is', () => {
    const changed = plan([slice('a', '12')], [endpoint('1'), endpoint('2', false)]);
    expect(summary(changed)).toEqual({ creates: [], updates: ['a=12'], deletes: [] });
    expect(changed.updates[0]?.content.endpoints[1]?.conditions?.ready).toBe(false);
  });

  it('endpoints of different ports lie apart', () => {
    const groups = [
      { ports: HTTP, endpoints: all('12') },
      { ports: METRICS, endpoints: all('34') },
    ];
    const rules = { maxEndpoints: 4, isOutdated: () => false, placeholder: true };
    expect(summary(planSlices([slice('a', '12')], groups, rules))).toEqual({
      creates: ['34'],
      updates: [],
      deletes: [],
    });
  });

  it('mirrors have no placeholder', () => {
    expect(summary(plan([slice('a', '1')], [], { placeholder: false }))).toEqual({
      creates: [],
      updates: [],
      deletes: ['a'],
    });
  });

  it('outdated labels are a change', () => {
    const rules = { maxEndpoints: 4, isOutdated: () => true, placeholder: true };
    const same = planSlices([slice('a', '1')], [{ ports: HTTP, endpoints: all('1') }], rules);
    expect(summary(same)).toEqual({ creates: [], updates: ['a=1'], deletes: [] });
  });

  it('a thousand are laid out in ten, and one change is one change', () => {
    const many = Array.from({ length: 1000 }, (_, i) => endpoint(String(i)));
    const rules = { maxEndpoints: 100, isOutdated: () => false, placeholder: true };
    const first = planSlices([], [{ ports: HTTP, endpoints: many }], rules);
    expect(first.creates).toHaveLength(10);
    const existing = first.creates.map(
      ({ endpoints }, i): EndpointSlice => ({
        metadata: { name: `s${i}` },
        addressType: 'IPv4',
        ports: HTTP,
        endpoints: [...endpoints],
      }),
    );
    const next = many.with(500, endpoint('500', false));
    expect(planSlices(existing, [{ ports: HTTP, endpoints: next }], rules)).toMatchObject({
      creates: [],
      updates: [{ slice: { metadata: { name: 's5' } } }],
      deletes: [],
    });
  });
});
