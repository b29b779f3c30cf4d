/** Ponder executes every file of this folder: naming the handlers here registers them. */
import '../../handlers/agreementEngine.ts';
import '../../handlers/agreementFactory.ts';
import '../../handlers/heads.ts';
