/** Nodes that have the pod's images, unless only few do: then they would all gather there. */
import type { Container } from '../../api/index.ts';
import { MAX_SCORE, type Score } from './score.ts';

const MIB = 1024 * 1024;
/** Less is not worth a thought; more makes no difference. */
const LEAST_BYTES = 23 * MIB;
const MOST_BYTES_PER_CONTAINER = 1000 * MIB;

export const imageLocality: Score = ({ pod }, candidates, cluster) => {
  const containers: readonly Container[] = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const names = containers.map(({ image = '' }) => normalizedName(image));
  const spread = names.map((name) => cluster.imageSpread(name) / Math.max(1, cluster.nodes.length));
  if (spread.every((share) => share === 0)) return undefined;
  const most = MOST_BYTES_PER_CONTAINER * containers.length;
  return candidates.map(({ images }) => {
    const sum = names.reduce((bytes, name, i) => bytes + Math.trunc((images.get(name) ?? 0) * (spread[i] ?? 0)), 0);
    const bytes = Math.min(Math.max(sum, LEAST_BYTES), most);
    return Math.trunc((MAX_SCORE * (bytes - LEAST_BYTES)) / (most - LEAST_BYTES));
  });
};

/** As nodes tell it: with its tag. */
function normalizedName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
