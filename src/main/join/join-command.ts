/** The command for a machine that is to join. Pure. */
import { formatJoinToken, type JoinToken } from '../../cli/index.ts';
import type { MainContext } from '../context.ts';

export function joinCommand({ checkout }: Pick<MainContext, 'checkout'>, server: string, token: JoinToken): string {
  const program = checkout === undefined ? 'mendlet' : './mendlet';
  return `${program} agent --server ${server} --token ${formatJoinToken(token)}`;
}
