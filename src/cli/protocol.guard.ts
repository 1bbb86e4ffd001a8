import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../principal/request.js';
import { unsupportedCommandLine } from './cli.error.js';
import { protocol, protocolHeader, serverVersion } from './cli-protocol.js';

/** Refuses a command line of another protocol. Programs that send no version are accepted. */
@Injectable()
export class ProtocolGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const sent = requestOf(context).get(protocolHeader);
    if (sent === undefined) return true;
    const version = /^\d{1,6}$/.test(sent) ? Number(sent) : 0;
    if (version > protocol.newest)
      throw unsupportedCommandLine(
        `The server (version ${serverVersion}) is older than your command line. Update the server, or install the command line of its version.`,
      );
    if (version < protocol.oldest)
      throw unsupportedCommandLine(
        `Your command line is older than the server (version ${serverVersion}). Update the command line.`,
      );
    return true;
  }
}
