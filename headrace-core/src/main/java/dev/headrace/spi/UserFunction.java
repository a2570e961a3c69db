package dev.headrace.spi;

import java.io.Serializable;

/**
 * A function of the user. Its identity is part of the plan's.
 *
 * <p>It is {@link Serializable} only so that the engine can ask a lambda for its name and captured
 * values ({@link FunctionIdentity}); nothing of it is stored, and nothing is ever deserialized.
 */
public interface UserFunction extends Serializable {}
