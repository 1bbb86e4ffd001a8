import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { insufficientScope } from '../oauth/clients/clients.error.js';
import { requestOf } from '../principal/request.js';
import { operationOf } from './operation.js';

/** Requires the scope of the operation. A handler without a declared operation is never served. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const declared = operationOf(context.getHandler());
    if (!declared) throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no operation`);
    const { scope } = declared;
    if (requestOf(context).user!.scopes.includes(scope)) return true;
    throw insufficientScope(`This operation requires the scope "${scope}".`, { extra: { scope } });
  }
}
