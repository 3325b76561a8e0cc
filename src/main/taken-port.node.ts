/** Checks whether another program uses a port, before anything is made. */
import { createServer } from 'node:net';
import { exitCodes, type ListenAddress } from '../cli/index.ts';
import { UserError } from './user-error.ts';

/** @throws UserError (exit code 3) when the address is taken. Other reasons not to listen are found when it is done. */
export async function refuseTakenPort({ host, port }: ListenAddress, flag = '--listen'): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return;
    throw new UserError(takenPort(`${host}:${port}`, flag), { cause: error, exitCode: exitCodes.inUse });
  } finally {
    server.close();
  }
}

export function takenPort(address: string, flag = '--listen'): string {
  return `cannot listen on ${address}: the port is taken by another process; ${flag} HOST:PORT gives another`;
}
