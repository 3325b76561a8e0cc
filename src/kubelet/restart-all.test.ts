/** RestartAllContainers on the whole agent, which is killed meanwhile: the ladder holds and nothing runs twice. */
import { expect, it } from 'vitest';
import { createSimulatedNode } from '../../test/support/simulated-node.ts';

it('goes on where it was when the agent is killed at any moment', async () => {
  const node = await createSimulatedNode('restart-all');
  const command = (behaviour: object) => ['sim', JSON.stringify(behaviour)];
  const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
  await node.createPod(
    'all',
    {},
    {
      restartPolicy: 'Never',
      initContainers: [
        { name: 'init', image: 'busybox:1', command: command({ exitAfterMs: [50, 50], exitCode: 0 }) },
        { name: 'side', image: 'busybox:1', restartPolicy: 'Always', command: command({}) },
      ],
      containers: [
        {
          name: 'main',
          image: 'busybox:1',
          restartPolicy: 'Never',
          restartPolicyRules: rules,
          command: command({ exitAfterMs: [300, 300], exitCode: 42 }),
        },
        { name: 'other', image: 'busybox:1', command: command({}) },
      ],
    },
  );
  const counts = () => {
    const { initContainerStatuses = [], containerStatuses = [] } = node.pod('all')?.status ?? {};
    return [...initContainerStatuses, ...containerStatuses].map(({ restartCount }) => restartCount);
  };
  for (let i = 0; i < 30; i += 1) {
    await node.run(700 + 37 * i);
    node.machine.killAgent();
    node.machine.startAgent();
  }
  // 0, 10 and 20 s have passed; the 40 s that follow have not.
  await node.until('the third restart', () => counts().every((count) => count >= 3), 30_000);
  // A start that was sent when the agent died uses up its number, whatever became of it.
  for (const count of counts()) expect([3, 4]).toContain(count);
  expect(node.pod('all')?.status?.phase).toBe('Running');
  const starts = node.happened('started').map(({ at }) => at);
  expect(starts.length).toBe(4 * 4);
});
