import { Duration, type Stack } from 'aws-cdk-lib';
import { AccountRecovery, Mfa, UserPool } from 'aws-cdk-lib/aws-cognito';
import { explain } from '../../nag/acknowledge-findings.ts';
import type { Oidc, Stage } from '../../settings/stages.ts';
import { removalPolicyOfProtected } from './removal-policy.ts';

/** Creates the default token issuer. An administrator creates the accounts. The directory table has the memberships. */
export function userPool(stack: Stack, stage: Stage): Oidc {
  const pool = new UserPool(stack, 'Users', {
    selfSignUpEnabled: false,
    signInAliases: { email: true },
    signInCaseSensitive: false,
    accountRecovery: AccountRecovery.EMAIL_ONLY,
    mfa: Mfa.OPTIONAL,
    mfaSecondFactor: { sms: false, otp: true },
    passwordPolicy: { minLength: 15 },
    deletionProtection: stage.keepsData,
    removalPolicy: removalPolicyOfProtected(stage),
  });
  explain(pool, {
    COG1:
      'NIST SP 800-63B recommends length instead of composition rules: 15 characters if a password may be the only factor. ' +
      'Composition rules make users choose passwords that are easy to guess.',
    COG2:
      'A second factor is optional, because a pool that requires one locks out users whose client cannot set it up. A ' +
      'platform that requires a second factor configures its own issuer (oidcIssuer).',
    COG8:
      'The Plus plan bills each user for monitoring sign-ins. An administrator creates the accounts here, users cannot sign ' +
      'up, and the memberships that the service reads at each request decide what a user may do.',
  });
  const client = pool.addClient('Web', {
    generateSecret: false,
    // By default, CDK enables the flows of Cognito's own sign-in pages, with example.com as the redirect URL.
    disableOAuth: true,
    // Commands cannot sign in with SRP. Except in prod, they can use `adminUserPassword` with AWS credentials.
    authFlows: { userSrp: true, adminUserPassword: stage.signsInByPassword },
    preventUserExistenceErrors: true,
    accessTokenValidity: Duration.hours(1),
  });
  const issuer = `https://cognito-idp.${stack.region}.${stack.urlSuffix}/${pool.userPoolId}`;
  return { issuer, audience: client.userPoolClientId, jwksUri: `${issuer}/.well-known/jwks.json` };
}
