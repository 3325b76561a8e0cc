/** Runs the real kubelet on a simulated node. */
import { createKubelet } from '../kubelet/index.ts';
import type { RunAgent } from './sim-node.ts';

export const runKubelet: RunAgent = (ports, config, signal, offer) => {
  const kubelet = createKubelet(ports, config);
  offer(kubelet.connection);
  return kubelet.run(signal);
};
