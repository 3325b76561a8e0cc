/**
 * What servers say when one of their settings is reached or forbids something, and the settings that they may mean. Data: the names are those
 * of the servers' own manuals.
 */
import { anyOf } from '../../../log-analysis/index.ts';

export interface Complaint {
  /** What the server said. */
  readonly said: RegExp;
  /** The settings that it may mean, the likeliest first: each a name with "-", "_", "." or a blank between its words. */
  readonly settings: readonly string[];
  /** What holds where none of them is set, of the servers whose command or image is called so. */
  readonly unset?: { readonly program: RegExp; readonly says: string };
  /** Servers alone write this, into their own logs, so that it is about a setting of the one that writes it. */
  readonly isOwn?: true;
}

const GENERAL: readonly Complaint[] = [
  {
    said: anyOf(
      /too many (?:connections|clients)|\(1040,/i,
      /(?:connection|client) (?:limit|slots)/i,
      /max(?:imum)? (?:number of )?(?:clients|connections)/i,
      /no more connections/i,
    ),
    settings: ['max_connections', 'maxclients', 'max_client_conn', 'max_user_connections', 'maxconn', 'max_conn'],
  },
  {
    said: anyOf(
      /\b(?:message|request|payload|packet|entity|body|record|frame)\b.{0,60}\b(?:too large|too big|larger than|exceeds?)\b/i,
      /\bMessageSizeTooLarge\b|\bRecordTooLarge|\bmax_allowed_packet\b|\bmaximum payload\b/i,
      /\b413\b.{0,40}(?:too large|entity)|Content Too Large/i,
      /\btoo (?:large|big) (?:an? )?(?:body|request|message|packet|payload|file|upload)\b|returned error: 413\b|\b413 Client Error|status(?: code)?[:= ]{1,2}413\b/i,
    ),
    settings: [
      'max_allowed_packet',
      'client_max_body_size',
      'max_payload',
      'message.max.bytes',
      'max_message_size',
      'max_message_bytes',
      'message_size_limit',
      'max_request_size',
      'max-request-bytes',
      'max_body_size',
      'body_limit',
      'MAX_CONTENT_LENGTH',
      'request_body_max_size',
      'LimitRequestBody',
      'post_max_size',
    ],
  },
  {
    said: /access forbidden by rule|client denied by server configuration|(?:unauthorized|rejected|denied) (?:connection|client|access) from|proxying refused on filtered/i,
    settings: ['allow', 'deny', 'require', 'filter'],
  },
  {
    said: /\bread[- ]?only\b|\bREADONLY\b/i,
    settings: [
      'super_read_only',
      'read_only',
      'default_transaction_read_only',
      'replica-read-only',
      'replicaof',
      'slaveof',
    ],
  },
  {
    said: /too many requests|\b429\b|rate limit|limiting requests/i,
    settings: ['limit_req', 'limit_req_zone', 'rate_limit', 'ratelimit', 'requests_per_second'],
  },
  {
    said: /no required SSL certificate|certificate required|client certificate (?:is )?required/i,
    settings: [
      'ssl_verify_client',
      'tls-auth-clients',
      'ssl_ca_file',
      'client_auth',
      'SSLVerifyClient',
      'require_certificate',
    ],
  },
  {
    said: /\b(?:alert )?protocol[ _]version\b|\bunsupported protocol\b|\bno protocols available\b|\bUNSUPPORTED_PROTOCOL\b|\bTLSV1_ALERT_PROTOCOL_VERSION\b/i,
    settings: [
      'ssl_protocols',
      'ssl_min_protocol_version',
      'ssl_max_protocol_version',
      'ssl-min-ver',
      'SSLProtocol',
      'sslVersionMin',
      'sslVersion',
      'tls_version',
      'tls-protocols',
      'min_version',
      'MinProtocol',
    ],
  },
  {
    said: /\bno shared cipher\b|\bno cipher match\b|\bNO_SHARED_CIPHER\b|\bNO_CIPHERS?_(?:MATCH|AVAILABLE)\b/i,
    settings: ['ssl_ciphers', 'ssl_cipher', 'SSLCipherSuite', 'tls-ciphers', 'ciphers'],
  },
];

const DATABASES: readonly Complaint[] = [
  { said: /prepared statement ".{1,80}" (?:does not|already) exists?\b/i, settings: ['pool_mode'] },
  { said: /unsupported startup parameter/i, settings: ['ignore_startup_parameters'] },
  {
    said: /\bquery_wait_timeout\b/i,
    settings: ['default_pool_size', 'pool_size', 'max_db_connections', 'query_wait_timeout'],
  },
  { said: /\bdue to statement timeout\b/i, settings: ['statement_timeout'] },
  { said: /\bdue to lock timeout\b/i, settings: ['lock_timeout'] },
  {
    said: /\bidle-in-transaction timeout\b|\bidle_in_transaction_session_timeout\b/i,
    settings: ['idle_in_transaction_session_timeout'],
  },
  { said: /\bdue to idle-session timeout\b/i, settings: ['idle_session_timeout'] },
  {
    said: /\bdue to conflict with recovery\b/i,
    settings: ['max_standby_streaming_delay', 'hot_standby_feedback'],
  },
  {
    said: /\bwal_level\b|logical decoding requires/i,
    settings: ['wal_level'],
    unset: { program: /postgres/i, says: 'sets no wal_level, which is replica then' },
  },
  { said: /all replication slots are in use|\bmax_replication_slots\b/i, settings: ['max_replication_slots'] },
  { said: /\bmax_wal_senders\b/i, settings: ['max_wal_senders'] },
  { said: /\bmax_locks_per_transaction\b/i, settings: ['max_locks_per_transaction'] },
  { said: /\btemp_file_limit\b|temporary file size exceeds/i, settings: ['temp_file_limit'] },
  {
    said: /prepared transactions are disabled|\bmax_prepared_transactions\b/i,
    settings: ['max_prepared_transactions'],
  },
  { said: /must be loaded via .{0,3}shared_preload_libraries/i, settings: ['shared_preload_libraries'] },
  {
    said: /server has gone away|packet bigger than|max_allowed_packet/i,
    settings: ['max_allowed_packet', 'wait_timeout'],
  },
  {
    said: /Lost connection to MySQL server during query|server closed the connection unexpectedly/i,
    settings: [
      'timeout client',
      'timeout server',
      'client_idle_timeout',
      'idle_timeout',
      'wait_timeout',
      'proxy_timeout',
    ],
  },
  { said: /Lock wait timeout exceeded/i, settings: ['innodb_lock_wait_timeout', 'lock_wait_timeout'] },
  { said: /\b--?secure-file-priv\b/i, settings: ['secure_file_priv'] },
  { said: /Loading local data is disabled|\blocal_infile\b/i, settings: ['local_infile'] },
  {
    said: /\bonly_full_group_by\b|doesn't have a default value|\bData too long for column\b|Incorrect (?:date|datetime|decimal|integer) value/i,
    settings: ['sql_mode'],
  },
  {
    said: /The table '.{1,80}' is full/i,
    settings: ['innodb_data_file_path', 'max_heap_table_size', 'tmp_table_size'],
  },
  {
    said: /Incorrect string value|Illegal mix of collations/i,
    settings: ['character_set_server', 'collation_server'],
  },
  { said: /many connection errors/i, settings: ['max_connect_errors'] },
  { said: /insecure transport are prohibited/i, settings: ['require_secure_transport'] },
  {
    said: /max_statement_time exceeded|maximum statement execution time exceeded/i,
    settings: ['max_statement_time', 'max_execution_time'],
  },
];

const STORES: readonly Complaint[] = [
  {
    said: /database space exceeded|\bNOSPACE\b|\betcdserver: no space\b/,
    settings: ['quota-backend-bytes'],
    isOwn: true,
  },
  { said: /\bOOM command not allowed\b|used memory > 'maxmemory'/, settings: ['maxmemory'] },
  {
    said: /\brunning in protected mode\b/i,
    settings: ['protected-mode'],
    unset: { program: /redis|valkey/i, says: 'sets no password and no protected-mode, which is yes then' },
  },
  { said: /\bDB index is out of range\b/i, settings: ['databases'] },
  {
    said: /\bNOREPLICAS\b|Not enough good replicas to write/i,
    settings: ['min-replicas-to-write', 'min-slaves-to-write'],
  },
  { said: /output buffer limits/i, settings: ['client-output-buffer-limit'] },
  { said: /instance has cluster support disabled/i, settings: ['cluster-enabled'] },
  { said: /\bCLUSTERDOWN\b/, settings: ['cluster-require-full-coverage', 'cluster-enabled'] },
  { said: /\bMISCONF\b/, settings: ['stop-writes-on-bgsave-error', 'dir'] },
  { said: /AUTH <?password>? called without any password configured/i, settings: ['requirepass'] },
  { said: /\bunknown command\b|command .{1,40} (?:is )?(?:disabled|not allowed)/i, settings: ['rename-command'] },
  { said: /\bNo master found for\b|\bNo such master with that name\b/i, settings: ['sentinel monitor'] },
  {
    said: /\bITEM TOO BIG\b|\bobject too large for cache\b/i,
    settings: ['item_size_max', 'max-item-size', '-I'],
    unset: { program: /memcached/i, says: 'takes no item of more than 1 MiB, as it is not told otherwise (-I)' },
  },
  { said: /out of memory storing object/i, settings: ['memory-limit', '-m'] },
  { said: /\bMDB_MAP_FULL\b/, settings: ['maxsize', 'olcDbMaxSize'] },
  { said: /\bsize ?limit exceeded\b/i, settings: ['sizelimit', 'olcSizeLimit'] },
  { said: /\bconfidentiality required\b/i, settings: ['security', 'olcSecurity'] },
  { said: /anonymous bind disallowed/i, settings: ['disallow', 'olcDisallows'] },
  { said: /no write access to (?:parent|entry)/i, settings: ['access', 'olcAccess'] },
  { said: /maximum normal shards open/i, settings: ['cluster.max_shards_per_node'] },
  { said: /\bcircuit_breaking_exception\b|Data too large, data for/i, settings: ['indices.breaker.total.limit'] },
  { said: /Result window is too large/i, settings: ['max_result_window'] },
];

const BROKERS: readonly Complaint[] = [
  {
    said: /\bblocked connection\b|\bconnection (?:was |is )?blocked\b|\bConnectionBlocked|\blow on (?:disk|memory)\b|\bresource limit alarm\b/i,
    settings: [
      'disk_free_limit.absolute',
      'disk_free_limit.relative',
      'disk_free_limit',
      'vm_memory_high_watermark.absolute',
      'vm_memory_high_watermark.relative',
      'vm_memory_high_watermark',
    ],
  },
  {
    said: /delivery acknowledgement on channel \d+ timed out/i,
    settings: ['consumer_timeout'],
    unset: { program: /rabbit/i, says: 'sets no consumer_timeout, which is 30 min then' },
  },
  { said: /can only connect via localhost/i, settings: ['loopback_users.guest', 'loopback_users'] },
  { said: /\bchannel_max\b/i, settings: ['channel_max'] },
  { said: /\bNOT_ENOUGH_REPLICAS\b|NotEnoughReplicas/i, settings: ['min.insync.replicas'] },
  {
    said: /Replication factor: \d+ larger than available brokers/i,
    settings: [
      'offsets.topic.replication.factor',
      'default.replication.factor',
      'transaction.state.log.replication.factor',
    ],
  },
  {
    said: /messages are being dropped for client/i,
    settings: ['max_queued_messages', 'max_queued_bytes'],
    isOwn: true,
  },
];

const DIRECTORIES: readonly Complaint[] = [
  // The base of a search is not in the directory: LDAP's noSuchObject (32).
  {
    said: /(?:ldap|\bDN\b|directory|\bsearch).{0,200}(?:\bno such object\b|\bNO_SUCH_OBJECT\b|noSuchObject|code[ =:]{1,2}32\b|error 32\b)|\bresult: 32 no such object\b/i,
    settings: [
      'AuthLDAPURL',
      'ldap_search_base',
      'search_base',
      'user_search_base',
      'user_base',
      'users_dn',
      'user_dn',
      'base_dn',
      'ldap_base',
      'basedn',
      'searchbase',
    ],
    isOwn: true,
  },
];

const PROXIES: readonly Complaint[] = [
  // HAProxy's flags of a session: the server, or the client, was too slow.
  { said: /\(s[HD][A-Z-]{2}\)/, settings: ['timeout server'], isOwn: true },
  { said: /\([sS]C[A-Z-]{2}\)/, settings: ['timeout connect'], isOwn: true },
  { said: /\(c[HRD][A-Z-]{2}\)/, settings: ['timeout client', 'timeout http-request'], isOwn: true },
  { said: /\(sQ[A-Z-]{2}\)/, settings: ['timeout queue', 'maxconn'], isOwn: true },
  {
    said: /client intended to send too large body/i,
    settings: ['client_max_body_size'],
    isOwn: true,
    unset: { program: /nginx|openresty/i, says: 'sets no client_max_body_size, which is 1m then' },
  },
  { said: /worker_connections are not enough/i, settings: ['worker_connections'], isOwn: true },
  {
    said: /upstream sent too big header/i,
    settings: ['proxy_buffer_size', 'fastcgi_buffer_size', 'uwsgi_buffer_size', 'proxy_buffers', 'fastcgi_buffers'],
    isOwn: true,
  },
  {
    said: /upstream timed out \(110/i,
    settings: [
      'proxy_read_timeout',
      'fastcgi_read_timeout',
      'uwsgi_read_timeout',
      'grpc_read_timeout',
      'proxy_connect_timeout',
    ],
    isOwn: true,
  },
  {
    said: /client sent too long (?:URI|header line)|Request Header Or Cookie Too Large|\b414\b.{0,30}(?:Too (?:Long|Large))/i,
    settings: ['large_client_header_buffers', 'client_header_buffer_size', 'LimitRequestLine', 'LimitRequestFieldSize'],
  },
  { said: /limiting connections by zone/i, settings: ['limit_conn', 'limit_conn_zone'] },
  {
    said: /could not build (?:the )?(?:server_names|variables|map)_hash/i,
    settings: ['server_names_hash_bucket_size'],
    isOwn: true,
  },
  {
    said: /rewrite or internal redirection cycle|exceeded the limit of \d+ internal redirects/i,
    settings: ['try_files', 'error_page', 'rewrite', 'RewriteRule'],
    isOwn: true,
  },
  {
    said: /directory index of ".{1,200}" is forbidden/i,
    settings: ['index', 'root', 'alias', 'try_files'],
    isOwn: true,
  },
  { said: /reached MaxRequestWorkers/i, settings: ['MaxRequestWorkers'], isOwn: true },
  { said: /\bpossible DNS-rebind attack detected\b/i, settings: ['stop-dns-rebind'], isOwn: true },
  { said: /Maximum number of concurrent DNS queries reached/i, settings: ['dns-forward-max'], isOwn: true },
  {
    said: /\b(?:lookup|query|resolv\w*|dns)\b.{0,120}\bREFUSED\b|\brcode[= ]REFUSED\b/i,
    settings: ['access-control', 'allow-query', 'allow-recursion', 'allow_query'],
  },
  { said: /\bTCP_DENIED\b.{0,80}\bCONNECT\b/, settings: ['acl SSL_ports', 'acl', 'http_access'], isOwn: true },
  { said: /\bTCP_DENIED\b/, settings: ['http_access', 'acl'], isOwn: true },
  {
    said: /\bworkspace_(?:client|backend)\b|\bworkspace overflow\b/i,
    settings: ['workspace_client', 'workspace_backend', 'http_resp_hdr_len'],
    isOwn: true,
  },
  { said: /\bfirst byte timeout\b/i, settings: ['first_byte_timeout'] },
];

const APPLICATIONS: readonly Complaint[] = [
  { said: /reached (?:pm\.)?max_children/i, settings: ['pm.max_children'], isOwn: true },
  { said: /execution timed out \([\d.]+ sec\)/i, settings: ['request_terminate_timeout'], isOwn: true },
  { said: /Maximum execution time of \d+ seconds? exceeded/i, settings: ['max_execution_time'], isOwn: true },
  { said: /POST Content-Length of \d+ bytes exceeds the limit/i, settings: ['post_max_size'], isOwn: true },
  { said: /\bopen_basedir restriction in effect\b/i, settings: ['open_basedir'], isOwn: true },
  { said: /has been disabled for security reasons/i, settings: ['disable_functions'], isOwn: true },
  { said: /Connection disallowed: IP address/i, settings: ['listen.allowed_clients'], isOwn: true },
  { said: /invalid request block size/i, settings: ['buffer-size'], isOwn: true },
  { said: /listen queue of socket .{1,80} full/i, settings: ['listen'], isOwn: true },
  { said: /HARAKIRI (?:ON|triggered)/i, settings: ['harakiri'], isOwn: true },
  { said: /Request Line is too large/i, settings: ['limit_request_line'], isOwn: true },
  { said: /limit request headers fields? size/i, settings: ['limit_request_field_size'], isOwn: true },
  { said: /Invalid HTTP_HOST header|DisallowedHost/i, settings: ['ALLOWED_HOSTS'], isOwn: true },
  { said: /\bBlocked hosts?: /i, settings: ['hosts', 'RAILS_ALLOWED_HOSTS', 'ALLOWED_HOSTS'], isOwn: true },
  { said: /CSRF verification failed|Origin checking failed/i, settings: ['CSRF_TRUSTED_ORIGINS'] },
  {
    said: /Request Header Fields Too Large|\bHPE_HEADER_OVERFLOW\b/i,
    settings: ['max-http-header-size', 'max_http_request_header_size'],
  },
  { said: /sample limit exceeded|\bsample_limit\b/i, settings: ['sample_limit'], isOwn: true },
  { said: /body size limit exceeded/i, settings: ['body_size_limit'], isOwn: true },
  { said: /would load too many samples/i, settings: ['query.max-samples'] },
];

const OTHERS: readonly Complaint[] = [
  {
    said: /\bCERT: (?:Subject checks failed|No matching|Host name)/,
    settings: ['checkHost', 'checkIP', 'checkEmail'],
    isOwn: true,
  },
  {
    said: /relay(?:ing)? (?:access )?denied|relay not permitted/i,
    settings: ['mynetworks', 'relay_from_hosts', 'relay_domains'],
  },
  {
    said: /plaintext authentication (?:is )?disallowed|\bPRIVACYREQUIRED\b/i,
    settings: ['disable_plaintext_auth', 'auth_allow_cleartext', 'ssl'],
  },
  {
    said: /refusing to run with writable root inside chroot/i,
    settings: ['chroot_local_user', 'allow_writeable_chroot'],
  },
  { said: /Security: Bad IP connecting/i, settings: ['pasv_promiscuous', 'pasv_address'] },
  { said: /\b550 Permission denied\b/i, settings: ['write_enable', 'anon_upload_enable', 'cmds_allowed'] },
  { said: /too many connected users|connections from your internet address/i, settings: ['max_clients', 'max_per_ip'] },
  { said: /Too many authentication failures|maximum authentication attempts exceeded/i, settings: ['MaxAuthTries'] },
  { said: /not allowed because not listed in AllowUsers/i, settings: ['AllowUsers'] },
  { said: /not allowed because none of user's groups are listed in AllowGroups/i, settings: ['AllowGroups'] },
  { said: /no matching host key type found/i, settings: ['HostKeyAlgorithms', 'HostKey'] },
  { said: /no matching (?:cipher|MAC) found/i, settings: ['Ciphers', 'MACs'] },
  { said: /no matching key exchange method found/i, settings: ['KexAlgorithms'] },
  { said: /bad ownership or modes for/i, settings: ['StrictModes', 'ChrootDirectory'] },
  { said: /\bMaxStartups throttling\b/i, settings: ['MaxStartups'] },
  { said: /administratively prohibited/i, settings: ['AllowTcpForwarding', 'PermitOpen'] },
  { said: /subsystem request failed|Received message too long/i, settings: ['Subsystem', 'ForceCommand'] },
  { said: /Maximum number of connections from user\+IP exceeded/i, settings: ['mail_max_userip_connections'] },
  {
    said: /(?:process|client)_limit \(\d+\) reached/i,
    settings: ['process_limit', 'client_limit', 'default_process_limit', 'default_client_limit'],
  },
  { said: /\bvsz_limit\b/i, settings: ['vsz_limit', 'default_vsz_limit'] },
];

export const COMPLAINTS: readonly Complaint[] = [
  ...GENERAL,
  ...DATABASES,
  ...STORES,
  ...BROKERS,
  ...DIRECTORIES,
  ...PROXIES,
  ...APPLICATIONS,
  ...OTHERS,
];
