import { expect, it } from 'vitest';
import { countPods, sayPodsLeft } from './pods-left.ts';

it('counts pods that run, and those between two lives, by their containers', () => {
  const sandboxes = [
    { id: 'runs', state: 'ready' as const },
    { id: 'in-back-off', state: 'ready' as const },
    { id: 'old', state: 'notready' as const },
    { id: 'lost-its-sandbox', state: 'notready' as const },
  ];
  const containers = [
    { sandboxId: 'runs', state: 'running' as const },
    { sandboxId: 'runs', state: 'running' as const },
    { sandboxId: 'in-back-off', state: 'exited' as const },
    { sandboxId: 'lost-its-sandbox', state: 'running' as const },
    { sandboxId: 'of-somebody-else', state: 'running' as const },
  ];
  expect(countPods(sandboxes, containers)).toEqual({ running: 2, waiting: 1 });
});

it.each([
  [{ running: 0, waiting: 0 }, 'ending; no pods are running'],
  [{ running: 1, waiting: 0 }, 'ending; 1 pod keeps running: "up" takes over again, "down" stops and removes'],
  [
    { running: 2, waiting: 1 },
    'ending; 2 pods keep running, 1 pod waits for a start that does not come now: "up" takes over again, "down" stops and removes',
  ],
])('says %j', (left, text) => {
  expect(sayPodsLeft(left, 'up', 'down')).toBe(text);
});
