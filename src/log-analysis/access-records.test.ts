/** Records of access logs, whose message says nothing, tell of no failure of the program. */
import { expect, it } from 'vitest';
import { failsAgain } from './fails-again.ts';
import { lastFailure } from './last-failure.ts';
import { readLog } from './read-log.ts';

it.each<[string, string]>([
  [
    'Caddy',
    '{"level":"error","ts":1795858498.785232,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"10.244.0.1","remote_port":"55290","proto":"HTTP/1.1","method":"GET","host":"10.2.3.7:8080","uri":"/","headers":{"User-Agent":["kube-probe/1.36"]}},"user_id":"","duration":0.001408545,"size":255,"status":400,"resp_headers":{"Server":["Caddy"]}}',
  ],
  [
    'pino',
    '{"level":50,"time":1795858498785,"req":{"id":1,"method":"GET","url":"/ready"},"res":{"statusCode":503},"msg":"request completed"}',
  ],
  [
    'zap',
    '{"level":"error","ts":1795858498.7,"caller":"web/log.go:31","msg":"HTTP request","method":"GET","path":"/ready","status":502}',
  ],
  ['logrus', 'time="2026-11-28T09:34:58Z" level=error msg="request handled" method=GET path=/ready status=500'],
  [
    'slog',
    '{"time":"2026-11-28T09:34:58Z","level":"ERROR","msg":"request","method":"POST","uri":"/orders","status_code":404}',
  ],
])('of %s', (_, line) => {
  const lines = Array.from({ length: 5 }, () => line);
  expect(lastFailure(lines)).toBeUndefined();
  expect(failsAgain(lines)).toBeUndefined();
  expect(readLog(lines).decisive).toBeUndefined();
});

it('of one that names its error is told with that', () => {
  const line =
    '{"level":"error","msg":"request completed","method":"GET","path":"/ready","status":500,"error":"connect to db:5432: refused"}';
  expect(lastFailure([line, line])?.line).toContain('connect to db:5432: refused');
});
