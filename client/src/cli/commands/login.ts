import type { Command } from 'commander';
import { CliError } from '../cliError.ts';
import type { Context } from '../context.ts';
import { forgetSettings, openClient, settingsFile, writeSettings } from '../settings.ts';
import { writeExamples } from '../writeExamples.ts';

export function addLogin(program: Command, context: Context): void {
  const { terminal } = context;
  program
    .command('login')
    .description('store the address and the API key for later calls, once the service has accepted the key')
    .argument('[url]', 'the address of the service; otherwise AGREEMENTS_URL')
    .addHelpText(
      'after',
      `\nThe key is read from AGREEMENTS_API_KEY, --api-key, or the standard input.\n${writeExamples('login http://127.0.0.1:3000', 'login https://agreements.example.com < key.txt')}`,
    )
    .action(async (given: string | undefined) => {
      const { url, apiKey: option } = program.opts<{ url?: string; apiKey?: string }>();
      const baseUrl = given || url || terminal.env.AGREEMENTS_URL;
      if (!baseUrl) throw new CliError('Give the address of the service: agreements login <url>.');
      // Errors name the address that was asked.
      program.setOptionValue('url', baseUrl);
      openClient({ baseUrl, apiKey: '' });
      const apiKey =
        option || terminal.env.AGREEMENTS_API_KEY || (await terminal.readSecret('the API key')).trim();
      if (!apiKey) throw new CliError('There is no API key on the standard input.');
      const settings = { baseUrl, apiKey };
      // Every key may read this, whatever its permissions.
      await openClient(settings).sessions.current({ signal: terminal.stopped });
      const file = writeSettings(terminal.env, settings);
      context.answer({ value: { baseUrl, file }, text: `Logged in to ${baseUrl}. The key is in ${file}.` });
    });
  program
    .command('logout')
    .description('delete the stored address and API key')
    .addHelpText('after', writeExamples('logout'))
    .action(() => {
      forgetSettings(terminal.env);
      const file = settingsFile(terminal.env);
      context.answer({ value: { file }, text: `Removed ${file}.` });
    });
}
