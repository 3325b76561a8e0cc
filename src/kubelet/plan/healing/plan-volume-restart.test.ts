/** Restarts for volumes that do not work, on a model of runtime and time. */
import { expect, it } from 'vitest';
import { HEALING_POLICY, type HealingPolicySpec, parseHealingState, HEALING_STATE } from '../../../api/index.ts';
import type { VolumeTrouble } from '../../types.ts';
import { RestartModel, steps } from '../restart/restart-model.fixtures.ts';

const POLICY: HealingPolicySpec = {
  volumes: { restartPodOn: ['MountLost', 'Stale'] },
  rungs: [{ scope: 'container' }, { scope: 'pod', attempts: 2, window: '1h' }],
  backOff: { initial: '2m', factor: 2, cap: '4m' },
};

function running(policy: HealingPolicySpec = POLICY): RestartModel {
  const model = new RestartModel();
  const annotations = { [HEALING_POLICY]: JSON.stringify(policy) };
  model.pod = { ...model.pod, metadata: { ...model.pod.metadata, annotations } };
  return model.settle();
}

const lost = (model: RestartModel, change: Partial<VolumeTrouble> = {}): readonly VolumeTrouble[] => [
  { volume: 'data', reason: 'MountLost', message: 'nothing is mounted', since: model.wall, ...change },
];

/** The steps until nothing is left to do now. */
function next(model: RestartModel): readonly string[] {
  const mark = model.log.length;
  model.settle();
  return steps(model.since(mark));
}

const conditionOf = (model: RestartModel, type: string) =>
  model.plan?.status.conditions?.find((each) => each.type === `mendlet.dev/${type}`);
const told = (model: RestartModel, reason: string) =>
  model.events.filter((event) => event.reason === reason).map(({ message }) => message);

it('restarts the whole pod at once, with that volume mounted anew, and counts it', () => {
  const model = running();
  model.volumeTroubles = lost(model);
  const done = next(model);
  expect(done).toContain('refresh-pod [] data');
  expect(done).toContain('create-sandbox 1');
  expect(done).not.toContain('start main 2');
  expect(told(model, 'PodRestarting')[0]).toContain('volume data: nothing is mounted: restarting the whole pod');
  expect(parseHealingState(model.plan?.annotations[HEALING_STATE])).toMatchObject({ rung: 'pod', podRestarts: 1 });
  // The same trouble is answered once.
  expect(next(model)).toEqual([]);
});

it('waits for its back-off when the volume fails again, then stops at the limit of the rung, and says so', () => {
  const model = running();
  model.volumeTroubles = lost(model);
  next(model);
  model.advance(1000);
  model.volumeTroubles = lost(model);
  expect(next(model)).toEqual([]);
  // Containers take half a minute to end here.
  model.advance(89_000);
  expect(next(model)).toContain('create-sandbox 2');
  model.advance(240_000);
  model.volumeTroubles = lost(model);
  expect(next(model)).toEqual([]);
  expect(told(model, 'VolumeNotHealed')).toEqual([
    'volume data: nothing is mounted; its healing policy allows no further restart (2 restarts of the whole pod). To go on: mendlet restart pod/web --force',
  ]);
  // Its containers are left alone.
  expect(model.running().length).toBeGreaterThan(0);
});

it('never goes past maxPodRestarts', () => {
  const model = running({ ...POLICY, maxPodRestarts: 0 });
  model.volumeTroubles = lost(model);
  expect(next(model)).toEqual([]);
  expect(told(model, 'VolumeNotHealed')[0]).toContain('(maxPodRestarts 0)');
});

it.each<[string, HealingPolicySpec, Partial<VolumeTrouble>]>([
  ['a policy that does not ask for it', { ...POLICY, volumes: {} }, {}],
  ['a problem that the policy does not name', POLICY, { reason: 'Abnormal' }],
])('leaves the pod alone with %s', (_, policy, change) => {
  const model = running(policy);
  model.volumeTroubles = lost(model, change);
  expect(next(model)).toEqual([]);
  expect(conditionOf(model, 'VolumeProblem')).toMatchObject({
    status: 'True',
    reason: change.reason ?? 'MountLost',
    message: 'volume data: nothing is mounted',
  });
});

it('says the worst problem first, and that all is well again', () => {
  const model = running({ ...POLICY, volumes: {} });
  model.volumeTroubles = [...lost(model, { reason: 'Abnormal', message: 'slow' }), ...lost(model, { volume: 'other' })];
  next(model);
  expect(conditionOf(model, 'VolumeProblem')).toMatchObject({ reason: 'MountLost' });
  model.pod = { ...model.pod, ...(model.plan && { status: model.plan.status }) };
  model.volumeTroubles = [];
  model.pass();
  expect(conditionOf(model, 'VolumeProblem')).toMatchObject({ status: 'False', reason: 'VolumesWork' });
});

it('goes on after a kill of the agent, with the volume that it was begun for', () => {
  const model = running();
  model.volumeTroubles = lost(model);
  model.pass();
  expect(model.memory.note.restart?.volumes).toEqual(['data']);
  model.killAgent();
  model.volumeTroubles = [];
  expect(next(model)).toContain('refresh-pod [] data');
});

it('mounts a volume anew that does not work when somebody restarts the pod', () => {
  const model = running({ ...POLICY, volumes: {} });
  model.volumeTroubles = lost(model);
  model.ask({ id: 'r1', scope: 'pod' });
  expect(next(model)).toContain('refresh-pod [] data');
});

it('does not count deaths of containers while the restart for their volume waits', () => {
  const model = running();
  model.volumeTroubles = lost(model);
  next(model);
  model.advance(1000);
  model.volumeTroubles = lost(model);
  model.exit('main', 1);
  next(model);
  expect(model.memory.note.healing?.attempts.filter(({ container }) => container === 'main')).toEqual([]);
});
