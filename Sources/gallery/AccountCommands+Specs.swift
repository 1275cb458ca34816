import Arguments

/// What the commands take on their command lines.
extension AccountCommands {
    static let userSpec: CommandSpec = {
        var add = CommandSpec("add", "Makes an account.")
        add.options = [
            DataFolder.option, DatabaseChoice.option,
            OptionSpec("name", "NAME", "How it is shown. [the address]"),
            OptionSpec(
                "password-file", "FILE", "Take the password from a file's first line, instead of asking."),
            OptionSpec(
                "credits", "N",
                "How many photos it may upload, or 'unlimited'. [what the server that runs was told; otherwise unlimited]"
            ),
        ]
        add.examples = ["gallery user add ann@example.org --name Ann"]
        add.positionals = [PositionalSpec("EMAIL", .one, "What it logs in with.")]
        var password = CommandSpec("password", "Prints a link by which an account gets another password.")
        password.discussion = [
            "It works once, for half an hour. When it is used, everything that is logged in to the account is logged out."
        ]
        password.options = [
            DataFolder.option, DatabaseChoice.option,
            .flag(
                "mail",
                "Mail it instead: by the server that runs with --smtp; where none runs, and with --database, by --smtp here."
            ),
            OptionSpec(
                "public-url", "URL",
                "How the gallery is reached, where none runs, and with --database. [http://127.0.0.1:8080]"),
        ]
        password.options += MailChoice.commandOptions
        password.examples = ["gallery user password ann@example.org"]
        password.positionals = [PositionalSpec("EMAIL", .one, "The account's address.")]
        var delete = CommandSpec("delete", "Deletes an account with its events, its photos and their files.")
        delete.options = [DataFolder.option, DatabaseChoice.option, .flag("yes", "Do not ask.")]
        delete.examples = ["gallery user delete ann@example.org"]
        delete.positionals = [PositionalSpec("ACCOUNT", .one, "Its address or id.")]
        var list = CommandSpec("list", "Lists all accounts.")
        list.options = [DataFolder.option, DatabaseChoice.option]
        list.examples = ["gallery user list"]
        var spec = CommandSpec("user", "Accounts of this server.")
        spec.subcommands = [add, list, password, delete]
        return spec
    }()

    static let creditsSpec: CommandSpec = {
        var grant = CommandSpec(
            "grant", "Gives an account so many photos more; 'unlimited' ends the counting.")
        grant.options = [DataFolder.option, DatabaseChoice.option]
        grant.examples = ["gallery credits grant ann@example.org 500"]
        grant.positionals = [
            PositionalSpec("ACCOUNT", .one, "Its address or id."),
            PositionalSpec("N", .one, "How many, or 'unlimited'."),
        ]
        var spec = CommandSpec("credits", "What accounts may upload.")
        spec.subcommands = [grant]
        return spec
    }()

    static let inviteSpec: CommandSpec = {
        var spec = CommandSpec("invite", "Prints a code that lets people make an account.")
        spec.discussion = [
            "It counts at a server that was started with --registration invite. It is shown only once: only its hash is kept."
        ]
        spec.options = [
            DataFolder.option, DatabaseChoice.option,
            OptionSpec("uses", "N", "How many accounts may be made with it, up to 1000. [1]"),
            OptionSpec("days", "N", "For how many days, up to 365. [7]"),
        ]
        spec.examples = ["gallery invite", "gallery invite --uses 10 --days 30"]
        return spec
    }()
}
