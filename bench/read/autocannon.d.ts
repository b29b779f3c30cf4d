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
    non2xx: number;
    errors: number;
    timeouts: number;
  };
  type Running = PromiseLike<Result> & {
    on(
      event: 'response',
      listener: (client: unknown, status: number, bytes: number, milliseconds: number) => void,
    ): void;
  };
  export default function autocannon(options: Options): Running;
}
