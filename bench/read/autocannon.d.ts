declare module 'autocannon' {
  type Options = {
    url: string;
    connections: number;
    duration: number;
    headers?: Readonly<Record<string, string>>;
    requests: readonly { method: 'GET' | 'POST'; path: string; body?: string | undefined }[];
  };
  type Result = {
    requests: { average: number; total: number };
    latency: { p50: number; p90: number; p99: number };
    non2xx: number;
    errors: number;
    timeouts: number;
  };
  export default function autocannon(options: Options): PromiseLike<Result>;
}
